#include "kernels/common/dense/cublaslt.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/common/unsupported.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define ABLATE_HAS_CUBLASLT 1
#else
#define ABLATE_HAS_CUBLASLT 0
#endif

namespace ablate::cublaslt {

#if ABLATE_HAS_CUBLASLT

namespace {

/// The functions that are called, as the library exports them.
struct library {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulDescCreate) describe_product;
  decltype(&cublasLtMatmulDescDestroy) forget_product;
  decltype(&cublasLtMatmulDescSetAttribute) set_product;
  decltype(&cublasLtMatrixLayoutCreate) describe_matrix;
  decltype(&cublasLtMatrixLayoutDestroy) forget_matrix;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_matrix;
  decltype(&cublasLtMatmulPreferenceCreate) describe_preference;
  decltype(&cublasLtMatmulPreferenceDestroy) forget_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
  decltype(&cublasLtGetStatusName) status_name;
  cublasLtHandle_t handle = nullptr;
};

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("ABLATE_CUBLASLT")) return {named};
  std::vector<std::string> directories = {""};
  if (const char* toolkit = std::getenv("CUDA_HOME")) directories.push_back(std::string(toolkit) + "/lib64/");
  directories.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> paths;
  for (const std::string& directory : directories)
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"})
      paths.push_back(directory + name);
  return paths;
}

void* open_library() {
  for (const std::string& path : candidates())
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  throw unsupported(std::getenv("ABLATE_CUBLASLT")
                        ? "ABLATE_CUBLASLT names no cuBLASLt that can be loaded"
                        : "libcublasLt.so cannot be loaded: install the package libcublas of "
                          "your CUDA version, or name the library in ABLATE_CUBLASLT");
}

template <class Function>
void find(void* opened, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(opened, name));
  if (function == nullptr)
    throw unsupported(std::string("cuBLASLt has no ") + name + ": that of CUDA 12 or later is needed");
}

void require(const library& l, cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw launch_error(std::string(what) + ": " + l.status_name(status));
}

library load() {
  void* const opened = open_library();
  library l{};
  find(opened, l.create, "cublasLtCreate");
  find(opened, l.matmul, "cublasLtMatmul");
  find(opened, l.describe_product, "cublasLtMatmulDescCreate");
  find(opened, l.forget_product, "cublasLtMatmulDescDestroy");
  find(opened, l.set_product, "cublasLtMatmulDescSetAttribute");
  find(opened, l.describe_matrix, "cublasLtMatrixLayoutCreate");
  find(opened, l.forget_matrix, "cublasLtMatrixLayoutDestroy");
  find(opened, l.set_matrix, "cublasLtMatrixLayoutSetAttribute");
  find(opened, l.describe_preference, "cublasLtMatmulPreferenceCreate");
  find(opened, l.forget_preference, "cublasLtMatmulPreferenceDestroy");
  find(opened, l.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(opened, l.choose, "cublasLtMatmulAlgoGetHeuristic");
  find(opened, l.status_name, "cublasLtGetStatusName");
  require(l, l.create(&l.handle), "cublasLtCreate");
  return l;
}

const library& the_library() {
  static const library loaded = load();
  return loaded;
}

/// A matrix as the library sees it: column-major.
using matrix = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, cublasStatus_t (*)(cublasLtMatrixLayout_t)>;

matrix describe(const library& l, element of, std::int64_t rows, std::int64_t columns, int batches,
                std::int64_t stride) {
  cublasLtMatrixLayout_t made = nullptr;
  require(l,
          l.describe_matrix(&made, of == element::bf16 ? CUDA_R_16BF : CUDA_R_32F,
                            static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
  matrix described(made, l.forget_matrix);
  if (batches > 1) {
    const std::int32_t count = batches;
    require(l, l.set_matrix(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
            "a batch's count");
    require(l, l.set_matrix(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
            "a batch's stride");
  }
  return described;
}

template <class T>
void set(const library& l, cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t what, const T& value) {
  require(l, l.set_product(of, what, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}

cublasLtEpilogue_t epilogue_of(behind then) {
  switch (then) {
    case behind::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case behind::gelu_tanh_of_bias:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
    case behind::bias_gradient:
      return CUBLASLT_EPILOGUE_BGRADB;
    default:
      return CUBLASLT_EPILOGUE_DEFAULT;
  }
}

/// A product made ready.
class planned_product {
 public:
  planned_product(const library& l, const product& p)
      : l_(l),
        p_(p),
        a_(p.a_is_k_major ? describe(l, element::bf16, p.k, p.m, p.batches, p.m * p.k)
                          : describe(l, element::bf16, p.m, p.k, p.batches, p.m * p.k)),
        b_(p.b_is_k_major ? describe(l, element::bf16, p.k, p.n, p.batches, 0)
                          : describe(l, element::bf16, p.n, p.k, p.batches, 0)),
        d_(describe(l, p.of_d, p.m, p.n, p.batches, p.m * p.n)),
        product_(nullptr, l.forget_product) {
    cublasLtMatmulDesc_t made = nullptr;
    require(l, l.describe_product(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    product_.reset(made);
    set(l, made, CUBLASLT_MATMUL_DESC_TRANSA, p.a_is_k_major ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(l, made, CUBLASLT_MATMUL_DESC_TRANSB, p.b_is_k_major ? CUBLAS_OP_N : CUBLAS_OP_T);
    set(l, made, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(p.then));
    if (p.then != behind::nothing)
      set(l, made, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
          p.then == behind::bias_gradient ? CUDA_R_32F : CUDA_R_16BF);
    if (p.batches > 1 && p.then != behind::nothing) set(l, made, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, p.m);
    // The pointer is set again at each call; its alignment decides which algorithms there are.
    if (p.then != behind::nothing) set_bias(reinterpret_cast<const void*>(std::uintptr_t{256}));
    choose();
  }

  void run(const operands& with, cudaStream_t stream) {
    if (p_.then != behind::nothing) set_bias(with.bias);
    const float one = 1, beta = p_.adds_c ? 1 : 0;
    require(l_,
            l_.matmul(l_.handle, product_.get(), &one, with.a, a_.get(), with.b, b_.get(), &beta,
                      p_.adds_c ? with.c : with.d, d_.get(), with.d, d_.get(), &chosen_.algo, with.workspace,
                      workspace_bytes, stream),
            "cublasLtMatmul");
  }

 private:
  void set_bias(const void* at) { set(l_, product_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, at); }

  void choose() {
    cublasLtMatmulPreference_t made = nullptr;
    require(l_, l_.describe_preference(&made), "cublasLtMatmulPreferenceCreate");
    const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, cublasStatus_t (*)(cublasLtMatmulPreference_t)>
        preference(made, l_.forget_preference);
    const std::uint64_t memory = workspace_bytes;
    const std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    require(l_, l_.set_preference(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &memory, sizeof memory),
            "the preference for a workspace");
    require(
        l_,
        l_.set_preference(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions, sizeof reductions),
        "the preference for reductions");
    int found = 0;
    const cublasStatus_t status = l_.choose(l_.handle, product_.get(), a_.get(), b_.get(), d_.get(), d_.get(),
                                            made, 1, &chosen_, &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0))
      throw unsupported("cuBLASLt has no algorithm for a product of m = " + std::to_string(p_.m) + ", n = " +
                        std::to_string(p_.n) + ", k = " + std::to_string(p_.k) + " with this epilogue");
    require(l_, status, "cublasLtMatmulAlgoGetHeuristic");
  }

  const library& l_;
  product p_;
  matrix a_, b_, d_;
  std::unique_ptr<cublasLtMatmulDescOpaque_t, cublasStatus_t (*)(cublasLtMatmulDesc_t)> product_;
  cublasLtMatmulHeuristicResult_t chosen_{};
};

auto as_tuple(const product& p) {
  return std::tuple(p.m, p.n, p.k, p.a_is_k_major, p.b_is_k_major, p.of_d, p.adds_c, p.then, p.batches);
}

planned_product& planned(const product& p) {
  static std::map<decltype(as_tuple(p)), std::unique_ptr<planned_product>> all;
  std::unique_ptr<planned_product>& known = all[as_tuple(p)];
  if (known == nullptr) known = std::make_unique<planned_product>(the_library(), p);
  return *known;
}

}  // namespace

void multiply(launcher& to, const product& p, const operands& with) {
  to.call("cublasLtMatmul", [&](CUstream_st* stream) { planned(p).run(with, stream); });
}

#else

void multiply(launcher& to, const product&, const operands&) {
  to.call("cublasLtMatmul", [](CUstream_st*) {
    throw unsupported(
        "this program was built without cuBLASLt: the CUDA Toolkit that compiled it has no cublasLt.h "
        "(package libcublas-dev)");
  });
}

#endif

}  // namespace ablate::cublaslt
