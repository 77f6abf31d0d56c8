/* no_runs.c - predict without the reader of measured runs, which belongs to calibrate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel/time/predict.h>

int predict_runs(const struct predict_settings *settings)
{
    (void)settings;
    return usage_error("--runs cannot be read in the page; the recallmodel command reads them");
}
