/**
 * Sets the color scheme before the first paint. The build adds this script with a nonce to the head of every page. The
 * script and Mantine's provider use the same storage key.
 */
export const colorSchemeKey = 'plinth-color-scheme';

export const colorSchemeScript = `try{var s=localStorage.getItem("${colorSchemeKey}")}catch(e){}
document.documentElement.setAttribute("data-mantine-color-scheme",s==="light"||s==="dark"?s:matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light")`;
