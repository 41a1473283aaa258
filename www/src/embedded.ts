const parameters = new URLSearchParams(location.search);

/** The page stands in a frame of another one, which said so in the address: it is compact, and keeps nothing. */
export const embedded = parameters.has("embed");

const asked = parameters.get("theme");

export const embedTheme = asked === "light" || asked === "dark" ? asked : "system";
