/** Creates elements, and the base class of the components. */
import type { SupabaseClient } from '@supabase/supabase-js';

type Content = Node | string | null | undefined;
type Attributes = Readonly<Record<string, string | boolean | ((event: Event) => void) | undefined>>;

/** Creates an element. Functions become event listeners, and `true` an attribute without a value. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[K] {
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
export abstract class AuthElement extends HTMLElement {
  #supabase: SupabaseClient | undefined;
  #stop: (() => void) | undefined;

  get supabase(): SupabaseClient | undefined {
    return this.#supabase;
  }

  set supabase(client: SupabaseClient | undefined) {
    this.#end();
    this.#supabase = client;
    if (this.isConnected) this.#begin();
  }

  connectedCallback(): void {
    this.#begin();
  }

  disconnectedCallback(): void {
    this.#end();
  }

  /** Renders the component. Returns the function that ends its work. */
  protected abstract start(supabase: SupabaseClient): () => void;

  protected list(name: string): string[] {
    return (this.getAttribute(name) ?? '').split(/[\s,]+/).filter(Boolean);
  }

  #begin(): void {
    if (this.#supabase !== undefined && this.#stop === undefined) this.#stop = this.start(this.#supabase);
  }

  #end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.replaceChildren();
  }
}

export function define(name: string, element: CustomElementConstructor): void {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}
