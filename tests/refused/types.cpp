// tests/refused/types.cpp -- what must not compile, the words of the first error, and the repaired twin.

#include <string>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::all, sn::axis;

void refused(sn::tensor<float, 1> f, sn::tensor<double, 1> d, sn::tensor<float, 2> m, sn::tensor<bool, 1> b) {
    (void)f, (void)d, (void)m, (void)b;

    // refuses 1: use sinter::cast<T>(expression)
#if REFUSED == 1
    f = d;
#elif REPAIRED == 1
    f = sn::cast<float>(d);
#endif
    // refuses 2: use sinter::cast<T>(expression)
#if REFUSED == 2
    f = f * d;
#elif REPAIRED == 2
    f = sn::cast<float>(f * d);
#endif
    // refuses 3: the expression's rank differs from the tensor's
#if REFUSED == 3
    f = m;
#elif REPAIRED == 3
    f = m(0, all);
#endif
    // refuses 4: a tensor holds bool, int8
#if REFUSED == 4
    sn::tensor<std::string, 1> s;
#elif REPAIRED == 4
    sn::tensor<std::uint8_t, 1> s;
#endif
    // refuses 5: the rank of a tensor is 0 to 8
#if REFUSED == 5
    sn::tensor<float, 9> t;
#elif REPAIRED == 5
    sn::tensor<float, 8> t;
#endif
    // refuses 6: bitwise operations take integers or bool
#if REFUSED == 6
    (void)(f & f);
#elif REPAIRED == 6
    (void)(sn::cast<int>(f) & 3);
#endif
    // refuses 7: this operation takes numbers, and these operands are bool
#if REFUSED == 7
    (void)(b + b);
#elif REPAIRED == 7
    (void)(b | b);
#endif
    // refuses 8: shifts take integers
#if REFUSED == 8
    (void)(f << 1);
#elif REPAIRED == 8
    (void)(sn::cast<int>(f) << 1);
#endif
    // refuses 9: matmul takes numbers, and these operands are bool
#if REFUSED == 9
    (void)sn::matmul(b, b);
#elif REPAIRED == 9
    (void)sn::matmul(sn::cast<int>(b), sn::cast<int>(b));
#endif
    // refuses 10: random::uniform gives float or double
#if REFUSED == 10
    (void)sn::random::uniform<int>(sn::random::key(1), 3);
#elif REPAIRED == 10
    (void)sn::random::integers<int>(sn::random::key(1), 0, 9, 3);
#endif
    // refuses 11: random::integers gives integers
#if REFUSED == 11
    (void)sn::random::integers<float>(sn::random::key(1), 0, 9, 3);
#elif REPAIRED == 11
    (void)sn::random::uniform<float>(sn::random::key(1), 3);
#endif
    // refuses 12: one_hot takes integers
#if REFUSED == 12
    (void)sn::one_hot<float>(f, 3);
#elif REPAIRED == 12
    (void)sn::one_hot<float>(sn::cast<int>(f), 3);
#endif
    // refuses 13: the element types differ: use sinter::cast<T>(e)
#if REFUSED == 13
    f.at(all) = d;
#elif REPAIRED == 13
    f.at(all) = sn::cast<float>(d);
#endif
    // refuses 14: the function cannot be called with one element of each operand
#if REFUSED == 14
    (void)sn::map([](std::string) { return 1; }, f);
#elif REPAIRED == 14
    (void)sn::map([](float) { return 1; }, f);
#endif
}
