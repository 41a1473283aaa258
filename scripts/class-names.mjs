// Classes of the package keep their names when they are minified, because errors and consoles show them. esbuild's `keepNames`
// is no alternative: it calls a function for each name, so that users' bundlers could not remove unused classes and functions.

/** Gives each class of a TypeScript source its name as a static member. */
export function withClassNames(source) {
  return source.replace(
    /^(?:export )?(?:abstract )?class (\w+)[^{]*\{$/gm,
    (line, name) => `${line} static get name() { return "${name}"; }`,
  );
}
