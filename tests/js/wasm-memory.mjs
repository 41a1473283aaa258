// The memory of the package's wasm, which is instantiated by the first call.

let memory = null;

const { Instance } = WebAssembly;
WebAssembly.Instance = function remember(...all) {
  const instance = new Instance(...all);
  // The instance that decodes the embedded wasm does not count.
  if ("scratch" in instance.exports) memory = instance.exports.memory;
  return instance;
};

/** The memory size of the newest instance in bytes; it never shrinks. */
export const memoryBytes = () => memory.buffer.byteLength;
