/** Creates an element. Functions become event listeners, and `true` an attribute without a value. */
export function h(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (typeof value === 'string') element.setAttribute(key, value);
  }
  // Strings become text nodes, so names of users and organizations can’t contain markup.
  element.append(...content.filter((each) => each !== null && each !== undefined));
  return element;
}
/**
 * The base class. Set the property `supabase`, and the component starts as soon as it is in the page. The components have no
 * shadow root, so that password managers and the app’s styles reach them.
 */
export class AuthElement extends HTMLElement {
  #supabase;
  #stop;
  get supabase() {
    return this.#supabase;
  }
  set supabase(client) {
    this.#end();
    this.#supabase = client;
    if (this.isConnected) this.#begin();
  }
  connectedCallback() {
    this.#begin();
  }
  disconnectedCallback() {
    this.#end();
  }
  list(name) {
    return (this.getAttribute(name) ?? '').split(/[\s,]+/).filter(Boolean);
  }
  #begin() {
    if (this.#supabase !== undefined && this.#stop === undefined) this.#stop = this.start(this.#supabase);
  }
  #end() {
    this.#stop?.();
    this.#stop = undefined;
    this.replaceChildren();
  }
}
export function define(name, element) {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}
