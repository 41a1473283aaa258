/** Workers get a compiled module from such an import. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
