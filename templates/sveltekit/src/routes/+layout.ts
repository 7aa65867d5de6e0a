// The session is stored in the browser, so pages are rendered there.
export const ssr = false;
