// tests/refused/ranks.cpp -- what must not compile, the words of the first error, and the repaired twin.

#include <string>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::all, sn::axis;

void refused(sn::tensor<float, 1> f, sn::tensor<double, 1> d, sn::tensor<float, 2> m, sn::tensor<bool, 1> b) {
    (void)f, (void)d, (void)m, (void)b;

    // refuses 1: permute names every axis once
#if REFUSED == 1
    (void)sn::permute<0, 0>(m);
#elif REPAIRED == 1
    (void)sn::permute<1, 0>(m);
#endif
    // refuses 2: permute names every axis once
#if REFUSED == 2
    (void)sn::permute<0>(m);
#elif REPAIRED == 2
    (void)sn::permute<0, 1>(m);
#endif
    // refuses 3: a reduction's axis is outside the expression's rank
#if REFUSED == 3
    (void)sn::sum(m, axis<2>);
#elif REPAIRED == 3
    (void)sn::sum(m, axis<1>);
#endif
    // refuses 4: more indices than the expression has axes
#if REFUSED == 4
    (void)m(0, 0, all);
#elif REPAIRED == 4
    (void)m(0, all);
#endif
    // refuses 5: an index is an integer, range(from, to, step), all or newaxis
#if REFUSED == 5
    (void)m(0, 1.5);
#elif REPAIRED == 5
    (void)m(0, 1);
#endif
    // refuses 6: the shape has fewer axes than the expression
#if REFUSED == 6
    (void)sn::broadcast_to(m, sn::shape<1>{3});
#elif REPAIRED == 6
    (void)sn::broadcast_to(m, sn::shape<3>{3, 1, 1});
#endif
    // refuses 7: squeeze: an axis is outside the expression's rank
#if REFUSED == 7
    (void)sn::squeeze<2>(m);
#elif REPAIRED == 7
    (void)sn::squeeze<1>(m);
#endif
    // refuses 8: expand_dims: an axis is outside the result's rank
#if REFUSED == 8
    (void)sn::expand_dims<3>(m);
#elif REPAIRED == 8
    (void)sn::expand_dims<2>(m);
#endif
    // refuses 9: flip: the axis is outside the expression's rank
#if REFUSED == 9
    (void)sn::flip<-3>(m);
#elif REPAIRED == 9
    (void)sn::flip<-2>(m);
#endif
    // refuses 10: matmul takes vectors and matrices
#if REFUSED == 10
    (void)sn::matmul(sn::sum(m), m);
#elif REPAIRED == 10
    (void)(sn::sum(m) * m);
#endif
    // refuses 11: e has more axes than the slice
#if REFUSED == 11
    f.at(all) = m;
#elif REPAIRED == 11
    f.at(all) = m(0, all);
#endif
    // refuses 12: what x.at(...) returns cannot be kept
#if REFUSED == 12
    auto kept = f.at(0); kept = 1.0f;
#elif REPAIRED == 12
    f.at(0) = 1.0f;
#endif
}
