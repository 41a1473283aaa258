declare module "*?sandboxed" {
  /** A script that defines `turnfoldSandbox`, with all that the module exports. */
  const code: string;
  export default code;
}
