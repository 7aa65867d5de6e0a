/** Function names, as in upstream's CLI 3.1: they begin with a letter and contain letters, digits, `_` and `-`. */
export const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;
