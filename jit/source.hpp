// jit/source.hpp -- stage 4: values and functions as CUDA C++. What surrounds them, the loops, is loop.cpp and reduce.cpp.
#pragma once

#include <string>

#include <sinter/fuse/graph.hpp>

namespace sinter::detail::jit {

/// How C++ spells an operation that has an operator: "+"; null for the others.
const char* operator_symbol(graph_op op);

/// Whether the table gives the operation as a formula of others, rather than as a device function or an operator.
bool is_formula(graph_op op);

/// "float", "unsigned char".
const char* type_name(dtype type);

/// A literal that reads back exactly. NaN and infinities by their bits.
std::string literal(dtype type, std::uint64_t bits);

/// The names by which a kernel passes the inputs and scalars of a graph to the function that computes a value.
std::string input_name(int slot);
std::string scalar_name(int number);

/// The parameters of that function in order, and arguments for them: "const float x0, const float s0".
std::string value_parameters(const graph& g);

/// A device function that computes the graph's result, one line a node.
std::string value_function(const graph& g, const std::string& function_name, const std::string& parameters);

/// The graph as one line of mathematics, cut where it is long: "exp(x0) * s0 + x1".
std::string expression_text(const graph& g);

/// A name for a kernel from its operations: "multiply_add_exp".
std::string kernel_name(const graph& g);

/// Text with the device functions that it calls put before it.
std::string with_device_functions(const std::string& text);

} // namespace sinter::detail::jit
