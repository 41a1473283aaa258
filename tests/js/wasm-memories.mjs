/** The memories of the WebAssembly instances that this process makes from now on: a second one means that the first has crashed. */
export const memories = [];

const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    // The one that reads the embedded wasm is none.
    if ("scratch" in this.exports) memories.push(this.exports.memory);
  }
};
