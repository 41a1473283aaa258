// Classes of the package keep their names when they are minified: errors and consoles show them. `keepNames` of esbuild calls a
// function for each, so that bundlers of users could leave out no class and no function.

/** Gives each class of a TypeScript source its name as a static member. */
export function withClassNames(source) {
  return source.replace(
    /^(?:export )?(?:abstract )?class (\w+)[^{]*\{$/gm,
    (line, name) => `${line} static get name() { return "${name}"; }`,
  );
}
