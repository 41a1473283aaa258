// The memory of the package's wasm, which starts with the first call.

let memory = null;

const { Instance } = WebAssembly;
WebAssembly.Instance = function remember(...all) {
  const instance = new Instance(...all);
  // The one that reads the embedded wasm is none.
  if ("scratch" in instance.exports) memory = instance.exports.memory;
  return instance;
};

/** How many bytes the instance that was started last has. It never has fewer than before. */
export const memoryBytes = () => memory.buffer.byteLength;
