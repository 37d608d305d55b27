/* Arithmetic modulo @label@: see @name@.h.
 * Made by: @command@
 * @ownership@
 */
#include "@name@.h"

/* Whether there is assembly: the kernels of src/@name@_x86_64.S. */
#if @condition@
#define @upper@_ASSEMBLY 1
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#else
#define @upper@_ASSEMBLY 0
#endif

/* Whether it has kernels on arrays. */
#if @upper@_ASSEMBLY && @has_arrays@ && @condition_arrays@
#define @upper@_VECTORS 1
#else
#define @upper@_VECTORS 0
#endif

/* The same of src/@name@_aarch64.S. */
#if @has_aarch64@ && @condition_aarch64@
#define @upper@_AARCH64 1
#else
#define @upper@_AARCH64 0
#endif

/* ---- Kernels in C, for every processor ---- */

