// Engines that only the benchmark needs, in a package of their own, so that no other command installs them.

export const loadMonty = () => import("@pydantic/monty");
export const loadJustBash = () => import("just-bash");
