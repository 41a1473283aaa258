/** An import of names of the package. */
const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*(["'])(turnfold(?:\/[\w/-]+)?)\2;?/gm;

/** A module as statements on the same lines that define `strategy`. `imports` gives the statements for an import of names. */
export const statementsOf = (source: string, imports: (names: string, entry: string) => string): string =>
  source
    .replace(IMPORT, (_, names: string, _quote: string, entry: string) => imports(names, entry))
    .replace(/^export default /m, "const strategy=");
