// sinter/sinter.hpp -- the map: everything a user needs, in the order of the data flow.
#pragma once

#include <sinter/core/tensor.hpp>      // what a tensor is

#include <sinter/expr/contract.hpp>    // stage 1: what can be written down
#include <sinter/expr/create.hpp>
#include <sinter/expr/elementwise.hpp>
#include <sinter/expr/map.hpp>
#include <sinter/expr/random.hpp>
#include <sinter/expr/reduce.hpp>
#include <sinter/expr/view.hpp>

#include <sinter/host/division.hpp>    // stage 4: the functions of packets that kernels are made of
#include <sinter/host/math.hpp>

#include <sinter/fuse/barriers.hpp>    // stages 2 to 4: the pipeline
#include <sinter/fuse/eval.hpp>
#include <sinter/fuse/write.hpp>

#include <sinter/io/npy.hpp>           // NumPy's files
#include <sinter/io/print.hpp>         // tensors as text
