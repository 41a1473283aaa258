/** The memories of the instances that this process creates after the import; a second memory means that the first instance crashed. */
export const memories = [];

const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    // The instance that decodes the embedded wasm does not count.
    if ("scratch" in this.exports) memories.push(this.exports.memory);
  }
};
