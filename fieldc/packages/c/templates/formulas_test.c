/* Every formula computes what Python's integers say, on every path of this processor. */
#include <stdio.h>
#include <string.h>

#include "@name@.h"

@formula_tests@
int main(void)
{
    static const char *const paths[] = {"",     "adx",      "mulx",
                                        "base", "portable", "aarch64"};
    int path, all = 1;
    for (path = FIELDC_ADX; path <= FIELDC_AARCH64; path++) {
        int right = 1;
        if (@name@_use(path) != FIELDC_OK)
            continue;
@formula_checks@        printf("%s: %s\n", paths[path], right ? "right" : "WRONG");
        all &= right;
    }
    return all ? 0 : 1;
}
