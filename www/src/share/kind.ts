/** The `kind` in files with the state of the page. */
export const KIND = "turnfold-playground";
