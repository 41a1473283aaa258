/** Replaced by the build with the version in `package.json`. */
declare const TURNFOLD_VERSION: string;

/**
 * The version of this package, as in its `package.json`.
 *
 * @example
 * ```ts
 * console.log(`turnfold ${version}`);
 * ```
 */
export const version: string = TURNFOLD_VERSION;
