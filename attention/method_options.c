/* method_options.c - see method.h: the options of the methods, and which values they take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "method.h"

const struct method_option method_option_rows[] = {
#define METHOD_OPTION_ROW(kind, member, option, usual, least, most, meaning) \
    {#member, option, METHOD_OPTION_##kind, offsetof(struct method_options, member), least, most},
    METHOD_OPTIONS(METHOD_OPTION_ROW)
#undef METHOD_OPTION_ROW
        {0}};

double method_option_value(const struct method_options *options, const struct method_option *row)
{
    const void *at = (const char *)options + row->at;
    switch (row->kind) {
    case METHOD_OPTION_WHOLE:
        return *(const uint32_t *)at;
    case METHOD_OPTION_REAL:
        return *(const double *)at;
    default:
        return *(const bool *)at;
    }
}

int method_options_check(const struct method_options *options, const struct method *method,
                         uint32_t d, struct message error)
{
    for (const struct method_option *row = method_option_rows; row->name; row++) {
        const double value = method_option_value(options, row);
        const bool real = row->kind == METHOD_OPTION_REAL;
        if (value > row->most || !(real ? value > row->least : value >= row->least))
            return message_set(error, MEMBER "%s %.10g is outside %c%.10g, %.10g]; give one inside",
                               row->name, value, real ? '(' : '[', row->least, row->most);
    }
    const char *fault = method->fault ? method->fault(options, d) : NULL;
    return fault ? message_set(error, "%s (method %s)", fault, method->name) : 0;
}

struct method_options method_options_default(void)
{
    return METHOD_OPTIONS_DEFAULT;
}
