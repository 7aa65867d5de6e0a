/**
 * Runs a flow with the keyboard in one browser window, and calls a function for every page state that the flow reaches.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LanguageTag } from '../../../src/base/shared/languages.ts';
import { openContext } from '../../web/browser.ts';
import { callAccount, password, startSession } from '../harness.ts';
import { say, speak } from './texts.ts';
import { createWalker, type Walker } from './walker.ts';
import { codeIn, linkIn, type World } from './world.ts';

export interface Look {
  readonly colorScheme: 'light' | 'dark';
  /** The width of the window in pixels. */
  readonly width: number;
}

/** Called for each state of a page, with the state's name for reports and screenshots. */
export type OnState = (page: Page, state: string) => Promise<void>;

export interface Scene {
  readonly world: World;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly walker: Walker;
  /** Reports that the page has reached a state, so that the state is checked. */
  readonly state: (name: string) => Promise<void>;
  open(name: string, search?: string): Promise<void>;
  /** Waits until the text is visible. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits until the page with this title is shown. */
  arrives(...page: Parameters<typeof say>): Promise<void>;
  /** Fills in the sign-in page, which must be open. */
  signIn(email: string): Promise<void>;
  /** Creates a user and signs the user in without opening a page. Returns the user's email address. */
  startsSession(): Promise<string>;
  /** Signs a guest in without opening a page. */
  startsAsGuest(): Promise<void>;
  /** Creates a user who is signed in ({@link startsSession}), and opens the security page. */
  signedIn(): Promise<string>;
  signOut(): Promise<void>;
  code(to: string): Promise<string>;
  link(to: string): Promise<string>;
}

export interface Flow {
  readonly name: string;
  /** Whether the flow runs in a browser without scripts. */
  readonly isStill?: boolean;
  /** The requests to other sites that the Account pages may send during the flow. By default, none. */
  readonly loads?: RegExp;
  readonly play: (scene: Scene) => Promise<void>;
}

export interface Staging {
  readonly world: World;
  readonly browser: Browser;
  readonly look: Look;
  readonly language?: LanguageTag;
  readonly onState: OnState;
}

/**
 * Runs a flow. Returns problems that the flow itself doesn't check for, namely policy violations, script errors and
 * requests to other sites.
 */
export async function play(flow: Flow, staging: Staging): Promise<readonly string[]> {
  const { world, browser, look, language = 'en', onState } = staging;
  await speak(language);
  const { context, complaints } = await openContext(browser, {
    colorScheme: look.colorScheme,
    viewport: { width: look.width, height: 800 },
    reducedMotion: 'reduce',
    javaScriptEnabled: flow.isStill !== true,
    locale: language === 'en' ? 'en-GB' : language,
    permissions: ['clipboard-write'],
  });
  const isOurs = (url: string): boolean => url.startsWith(`${world.origin}/`);
  const foreign: string[] = [];
  context.on('request', (request) => {
    // Navigating to another site is allowed, but the Account pages must not load anything from other sites.
    if (request.isNavigationRequest() || !isOurs(request.frame().url())) return;
    const url = request.url();
    if (!isOurs(url) && !url.startsWith('data:') && flow.loads?.test(url) !== true)
      foreign.push(`loaded ${url}`);
  });
  try {
    const page = await context.newPage();
    await flow.play(sceneOf(world, context, page, await createWalker(page, isOurs), onState));
    // Complaints about the identity provider's pages are ignored.
    const own = complaints.list.filter((line) => !line.includes('fonts.googleapis.com'));
    return [...own, ...foreign];
  } finally {
    await context.close();
  }
}

function sceneOf(world: World, context: BrowserContext, page: Page, walker: Walker, onState: OnState): Scene {
  const scene: Scene = {
    world,
    context,
    page,
    walker,
    state: (name) => onState(page, name),
    async open(name, search = '') {
      await page.goto(`${world.origin}/account/${name}${search}`);
      if (name === 'sign-in' && new URL(page.url()).pathname === '/account/accounts') {
        // The browser stores accounts, so the page lists these accounts and offers to add another one.
        await walker.press(say('accounts.add'), 'link');
        await scene.arrives('page.sign-in');
      }
    },
    async sees(text) {
      await page.getByText(text).filter({ visible: true }).first().waitFor();
    },
    async arrives(...id) {
      await page.getByRole('heading', { level: 1, name: say(...id), exact: true }).waitFor();
    },
    async signIn(email) {
      await walker.fill(say('field.email-or-phone'), email);
      await walker.enter();
      await walker.fill(say('field.password'), password);
      await walker.enter();
    },
    async startsSession() {
      const email = await world.newUser();
      await startSession(page, { url: world.origin }, email);
      return email;
    },
    async startsAsGuest() {
      await callAccount(page, { url: world.origin }, 'guest');
    },
    async signedIn() {
      const email = await scene.startsSession();
      await scene.open('security');
      await scene.sees(say('security.as', { who: email }));
      return email;
    },
    async signOut() {
      await walker.press(say('security.sign-out'), 'button');
      await scene.arrives('page.signed-out');
    },
    code: async (to) => codeIn(await world.nextMail(to)),
    link: async (to) => linkIn(await world.nextMail(to)),
  };
  return scene;
}
