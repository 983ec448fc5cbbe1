// jit/emulator/sanitizer.hpp -- whether the address sanitizer watches, which g++ and clang say in their own ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
    #define SINTER_EMULATOR_ASAN 1
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define SINTER_EMULATOR_ASAN 1
    #endif
#endif

#if defined(SINTER_EMULATOR_ASAN)
    #include <sanitizer/asan_interface.h>
    #include <sanitizer/common_interface_defs.h>
#endif
