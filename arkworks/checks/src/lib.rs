//! Tests of arkworks on the kernels of fieldc.
