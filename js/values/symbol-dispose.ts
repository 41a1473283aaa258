/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Defines `Symbol.dispose` where the engine lacks it, as WebKit does. To be called before a class with that member is made, which
 * otherwise gets a member named "undefined". The value is the symbol that `using` looks for in such engines when esbuild, oxc or
 * Babel compiled it; TypeScript's code needs `Symbol.dispose` itself.
 */
export function defineSymbolDispose(): void {
  if (!Object.hasOwn(Symbol, "dispose")) {
    Reflect.defineProperty(Symbol, "dispose", { value: Symbol.for("Symbol.dispose") });
  }
}
