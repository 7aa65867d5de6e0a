/**
 * Function names (slugs), which begin with a letter and contain letters, digits, `_` and `-`, as in version 3.1 of
 * upstream's CLI.
 */
export const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;
