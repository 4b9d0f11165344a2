/* Eight doubles that the compiler keeps in one AVX-512 register, two AVX registers or four SSE
 * registers. All operations are element-wise IEEE arithmetic in a fixed order, so every instruction
 * set gives the same bits. Internal to src/ccd. */
#ifndef CCD_LANES_H
#define CCD_LANES_H

typedef double lanes8 __attribute__((vector_size(64)));
typedef double lanes4 __attribute__((vector_size(32)));
typedef double lanes2 __attribute__((vector_size(16)));
typedef long long mask8 __attribute__((vector_size(64)));
typedef long long mask4 __attribute__((vector_size(32)));
typedef long long mask2 __attribute__((vector_size(16)));

#define LANES_INLINE static inline __attribute__((always_inline))

LANES_INLINE lanes8 lanes8_splat(double x) { return (lanes8){x, x, x, x, x, x, x, x}; }
LANES_INLINE lanes8 lanes8_halves(double low, double high)
{
    return (lanes8){low, low, low, low, high, high, high, high};
}
LANES_INLINE lanes4 lanes8_low(lanes8 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }
LANES_INLINE lanes4 lanes8_high(lanes8 a) { return __builtin_shufflevector(a, a, 4, 5, 6, 7); }

/* mask ? a : b */
LANES_INLINE lanes4 lanes4_select(mask4 mask, lanes4 a, lanes4 b)
{
    return (lanes4)((mask & (mask4)a) | (~mask & (mask4)b));
}
LANES_INLINE lanes2 lanes2_select(mask2 mask, lanes2 a, lanes2 b)
{
    return (lanes2)((mask & (mask2)a) | (~mask & (mask2)b));
}

LANES_INLINE double lanes4_min(lanes4 a)
{
    lanes2 low = __builtin_shufflevector(a, a, 0, 1), high = __builtin_shufflevector(a, a, 2, 3);
    low = lanes2_select(low < high, low, high);
    return low[0] < low[1] ? low[0] : low[1];
}
LANES_INLINE double lanes4_max(lanes4 a)
{
    lanes2 low = __builtin_shufflevector(a, a, 0, 1), high = __builtin_shufflevector(a, a, 2, 3);
    low = lanes2_select(low > high, low, high);
    return low[0] > low[1] ? low[0] : low[1];
}
LANES_INLINE double lanes8_min(lanes8 a)
{
    lanes4 low = lanes8_low(a), high = lanes8_high(a);
    return lanes4_min(lanes4_select(low < high, low, high));
}
LANES_INLINE double lanes8_max(lanes8 a)
{
    lanes4 low = lanes8_low(a), high = lanes8_high(a);
    return lanes4_max(lanes4_select(low > high, low, high));
}

#endif
