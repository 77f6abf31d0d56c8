// peers.cc - one worker of tools/peers/time_peers.py: top-k of this project and of the C++ standard
// library on a row, timed on request.
//
//     peers --make FILE N ROWS SEED   writes rows of N float32 normals, those of recallmodel bench
//     peers FILE N                    answers requests on stdin, each one line
//
// A request is CONTENDER K REPEATS; calls take turns among the rows. The answer is the microseconds
// of one call, and the sum of the values that are selected of the first row. LIST names the
// contenders and their versions.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gpu/host/element.h>
#include <topk/topk.h>

namespace
{

struct span {
    const float *at;
    size_t length;
    float operator[](size_t i) const
    {
        return at[i];
    }
    size_t size() const
    {
        return length;
    }
};

std::vector<float> rows;
span row; /* whose turn it is */
std::vector<float> values;
std::vector<int32_t> indices;
std::vector<std::pair<float, int32_t>> pairs;
std::vector<char> workspace;

rcm_top_k_call call_of(size_t k, bool sorted)
{
    rcm_top_k_call call = {};
    call.rows.x = row.at;
    call.rows.m = 1;
    call.rows.n = row.size();
    call.k = k;
    call.sorted = sorted;
    call.threads = 1;
    call.values = values.data();
    call.indices = indices.data();
    return call;
}

void ours(size_t k, bool sorted)
{
    const rcm_top_k_call call = call_of(k, sorted);
    size_t bytes = 0;
    rcm_top_k_workspace(&call, &bytes);
    if (workspace.size() < bytes + 64)
        workspace.resize(bytes + 64);
    char *at = workspace.data();
    at += (64 - reinterpret_cast<uintptr_t>(at) % 64) % 64;
    if (rcm_top_k(&call, at, bytes) != RCM_TOP_K_OK)
        std::exit(1);
}

/* Pairs of value and index, as one would write it. */
void fill_pairs()
{
    pairs.resize(row.size());
    for (size_t i = 0; i < row.size(); i++)
        pairs[i] = {row[i], (int32_t)i};
}

void take_pairs(size_t k)
{
    for (size_t i = 0; i < k; i++) {
        values[i] = pairs[i].first;
        indices[i] = pairs[i].second;
    }
}

void nth_element(size_t k)
{
    fill_pairs();
    std::nth_element(pairs.begin(), pairs.begin() + (long)k - 1, pairs.end(), std::greater<>());
    take_pairs(k);
}

void partial_sort(size_t k)
{
    fill_pairs();
    std::partial_sort(pairs.begin(), pairs.begin() + (long)k, pairs.end(), std::greater<>());
    take_pairs(k);
}

void largest(size_t)
{
    const rcm_top_k_call call = call_of(1, false);
    rcm_top_k_max(&call.rows, 1, values.data());
}

struct contender {
    const char *name, *version;
    std::function<void(size_t)> run;
};

const contender contenders[] = {
    {"ours", "recallmodel", [](size_t k) { ours(k, false); }},
    {"ours-sorted", "recallmodel", [](size_t k) { ours(k, true); }},
    {"max", "recallmodel", largest},
    {"std::nth_element", "libstdc++ " __VERSION__, nth_element},
    {"std::partial_sort", "libstdc++ " __VERSION__, partial_sort},
};

int make(const char *path, size_t n, size_t count, uint64_t seed)
{
    rows.resize(n * count);
    for (size_t i = 0; i < rows.size(); i++)
        rows[i] = rcm_gpu_element_value(RCM_GPU_INPUT_NORMAL, seed + i / n, i % n, n);
    FILE *file = std::fopen(path, "wb");
    const bool written =
        file && std::fwrite(rows.data(), sizeof(float), rows.size(), file) == rows.size();
    return file && std::fclose(file) == 0 && written ? 0 : 1;
}

/* Rows of n elements. */
bool read(const char *path, size_t n)
{
    FILE *file = std::fopen(path, "rb");
    if (!file)
        return false;
    std::fseek(file, 0, SEEK_END);
    rows.resize((size_t)std::ftell(file) / sizeof(float));
    std::rewind(file);
    const bool whole = std::fread(rows.data(), sizeof(float), rows.size(), file) == rows.size();
    std::fclose(file);
    values.resize(n);
    indices.resize(n);
    row = {rows.data(), n};
    return whole && n > 0 && rows.size() >= n;
}

/* Call i takes row i. */
void take_row(size_t i)
{
    row.at = rows.data() + i * row.length % (rows.size() / row.length * row.length);
}

/* In double and in order, so that it is the same for every right answer. */
double selected_sum(size_t k)
{
    std::vector<float> selected(values.begin(), values.begin() + (long)k);
    std::sort(selected.begin(), selected.end());
    double sum = 0.0;
    for (float value : selected)
        sum += (double)value;
    return sum;
}

void answer(const std::string &name, size_t k, unsigned repeats)
{
    for (const contender &c : contenders) {
        if (name != c.name)
            continue;
        const auto begin = std::chrono::steady_clock::now();
        for (unsigned i = 0; i < repeats; i++) {
            take_row(i);
            c.run(k);
        }
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - begin;
        take_row(0);
        c.run(k);
        std::printf("%.17g %.17g\n", time.count() / repeats, selected_sum(k));
        return;
    }
    std::puts("unknown");
}

} // namespace

int main(int count, char **arguments)
{
    if (count == 6 && std::strcmp(arguments[1], "--make") == 0)
        return make(arguments[2], std::strtoull(arguments[3], nullptr, 10),
                    std::strtoull(arguments[4], nullptr, 10),
                    std::strtoull(arguments[5], nullptr, 10));
    if (count != 3 || !read(arguments[1], std::strtoull(arguments[2], nullptr, 10)))
        return 2;
    char line[200], name[100];
    while (std::fgets(line, sizeof line, stdin)) {
        size_t k;
        unsigned repeats;
        if (std::strncmp(line, "LIST", 4) == 0) {
            for (const contender &c : contenders)
                std::printf("%s\t%s\n", c.name, c.version);
            std::puts("END");
        } else if (std::sscanf(line, "%99s %zu %u", name, &k, &repeats) == 3 && k >= 1 &&
                   k <= row.size()) {
            answer(name, k, repeats);
        }
        std::fflush(stdout);
    }
    return 0;
}
