/* presets.js - questions that people ask. Each is a whole question; what is left out is empty.
 *
 * SPDX-License-Identifier: Apache-2.0 */

export const PRESETS = [
    {
        group: 'Sampling',
        name: '128 k vocabulary',
        title: 'The 50 most likely of 128256 tokens, 64 sequences at a time',
        question: {n: '128256', k: '50', m: '64', recall: '0.99', device: 'H100-SXM'},
    },
    {
        group: 'Sampling',
        name: '152 k vocabulary',
        title: 'The 50 most likely of 151936 tokens, 64 sequences at a time',
        question: {n: '151936', k: '50', m: '64', recall: '0.99', device: 'H100-SXM'},
    },
    {
        group: 'Sampling',
        name: '1 % of the mass',
        title: 'How many may be lost if 1 % of the mass of the top 64 may be, and scores have sd 3?',
        question: {n: '151936', k: '64', m: '64', 'lost-mass': '0.01', 'score-sd': '3',
                   device: 'H100-SXM'},
    },
    {
        group: 'Sparse attention',
        name: '8 k',
        title: '2048 of 8192 keys for each of 64 queries: when the answer is no',
        question: {n: '8192', k: '2048', m: '64', recall: '0.99', device: 'H100-SXM'},
    },
    {
        group: 'Sparse attention',
        name: '32 k',
        title: '2048 of 32768 keys for each of 64 queries',
        question: {n: '2^15', k: '2048', m: '64', recall: '0.95', device: 'H100-SXM'},
    },
    {
        group: 'Sparse attention',
        name: '128 k',
        title: '2048 of 131072 keys for each of 64 queries',
        question: {n: '2^17', k: '2048', m: '64', recall: '0.95', device: 'H100-SXM'},
    },
    {
        group: 'Sparse attention',
        name: '1 M, against a tuned exact kernel',
        title: '2048 of 1048576 keys on a B200, against the exact top-k of TensorRT-LLM',
        question: {n: '2^20', k: '2048', m: '64', recall: '0.95', device: 'B200',
                   'exact-kernel': 'gvr_v2_b200'},
    },
    {
        group: 'Vector search',
        name: 'MIPS, 10^6',
        title: 'The 100 largest products of 10^6, 1024 queries at a time',
        question: {n: '1e6', k: '100', m: '1024', recall: '0.99', device: 'H100-SXM'},
    },
    {
        group: 'Vector search',
        name: 'MIPS, 10^9',
        title: 'The 100 largest products of 10^9, one query',
        question: {n: '1e9', k: '100', m: '1', recall: '0.99', device: 'H100-SXM'},
    },
    {
        group: 'Compilers',
        name: "TPU's approx_max_k",
        title: 'What jax.lax.approx_max_k can do, on a TPU v4',
        question: {n: '1e6', k: '1024', m: '1024', recall: '0.95', device: 'TPUv4', dtype: 'bf16',
                   kernel: 'xla'},
    },
];
