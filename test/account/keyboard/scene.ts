/** A flow is played by keyboard in one browser window; each state on the way is looked at. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LanguageCode } from '../../../web/locales/languages.ts';
import { openContext } from '../../web/browser.ts';
import { password } from '../harness.ts';
import { say, speak } from './texts.ts';
import { createWalker, type Walker } from './walker.ts';
import { codeIn, linkIn, type World } from './world.ts';

export interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: 1280 | 360;
}

/** A state of a page that somebody meets, named for reports and pictures. */
export type OnState = (page: Page, state: string) => Promise<void>;

export interface Scene {
  readonly world: World;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly walker: Walker;
  /** Looks at what is there now. */
  readonly state: (name: string) => Promise<void>;
  open(name: string, search?: string): Promise<void>;
  /** Waits until a text is there. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits for the page of this title. */
  arrives(page: Parameters<typeof say>[0]): Promise<void>;
  /** On the sign-in page; a new user, signed in, on the security page. */
  signIn(email: string): Promise<void>;
  signedIn(): Promise<string>;
  signOut(): Promise<void>;
  code(to: string): Promise<string>;
  link(to: string): Promise<string>;
}

export interface Flow {
  readonly name: string;
  /** Played in a browser that runs no scripts. */
  readonly isStill?: boolean;
  /** What pages of ours load from elsewhere on the way; nothing by default. */
  readonly loads?: RegExp;
  readonly play: (scene: Scene) => Promise<void>;
}

export interface Staging {
  readonly world: World;
  readonly browser: Browser;
  readonly look: Look;
  readonly language?: LanguageCode;
  readonly onState: OnState;
}

/** What went wrong besides what the flow itself has noticed: refused by the policy, thrown by scripts, loaded from elsewhere. */
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
    // Going to another site is one thing, a page of ours asking it for something another.
    if (request.isNavigationRequest() || !isOurs(request.frame().url())) return;
    const url = request.url();
    if (!isOurs(url) && !url.startsWith('data:') && flow.loads?.test(url) !== true)
      foreign.push(`loaded ${url}`);
  });
  try {
    const page = await context.newPage();
    await flow.play(sceneOf(world, context, page, await createWalker(page, isOurs), onState));
    // The pages of providers are not ours to judge.
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
    },
    async sees(text) {
      await page.getByText(text).filter({ visible: true }).first().waitFor();
    },
    async arrives(id) {
      await page.getByRole('heading', { level: 1, name: say(id), exact: true }).waitFor();
    },
    async signIn(email) {
      await walker.fill(say('field.email'), email);
      await walker.fill(say('field.password'), password);
      await walker.enter();
    },
    async signedIn() {
      const email = await world.newUser();
      await scene.open('sign-in');
      await scene.signIn(email);
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
