/**
 * Simulates a user without a mouse, who reaches every control with Tab and must be able to see the focus. The user
 * identifies a control by the name and role that the browser exposes to assistive technology.
 */
import type { CDPSession, Page } from 'playwright-core';
import { until } from './until.ts';

export interface Focus {
  readonly role: string;
  readonly name: string;
}

export interface Walker {
  readonly page: Page;
  focus(): Promise<Focus>;
  /** Waits until the element with this name has focus. A page can move the focus after it has rendered. */
  reaches(name: string): Promise<void>;
  /**
   * Presses Tab until the element with this name has focus.
   * @throws if no element with this name is reached, or if its focus isn't visible.
   */
  tabTo(name: string | RegExp, role?: Role): Promise<void>;
  /** Moves the focus to a field and replaces its content. */
  fill(name: string, text: string): Promise<void>;
  /** Moves the focus to a button or link and presses it. */
  press(name: string | RegExp, role?: Role): Promise<void>;
  type(text: string): Promise<void>;
  enter(): Promise<void>;
}

export type Role = 'button' | 'link' | 'textbox' | 'radio' | 'DisclosureTriangle';

/** The number of frames in one second. On a busy machine, rendering the content above an element can take a second. */
const settlingFrames = 60;
/** The minimum number of Tab presses before a search fails, which is more than the longest page requires. */
const maxPresses = 80;
/** The minimum time before a search fails, because some controls don't exist while the page loads. */
const maxLoadingMs = 10_000;

/**
 * The page renders after each key, so only the first characters of a text are typed. The rest of the text is inserted
 * in one step.
 */
const typedKeys = 6;

/**
 * Returns a walker for a page.
 * @param isOurs Whether the page at a URL is one of the pages to check.
 */
export async function createWalker(page: Page, isOurs: (url: string) => boolean): Promise<Walker> {
  const cdp = await page.context().newCDPSession(page);
  const { keyboard } = page;

  async function tabTo(name: string | RegExp, role?: Role): Promise<void> {
    const passed: string[] = [];
    const isWanted = (focus: Focus) =>
      (role === undefined || focus.role === role) &&
      (typeof name === 'string' ? focus.name === name : name.test(focus.name));
    const giveUpAt = Date.now() + maxLoadingMs;
    let focus = await focusOf(cdp);
    // The page may already have moved the focus to the wanted element.
    while (!isWanted(focus)) {
      if (passed.length >= maxPresses && Date.now() > giveUpAt) break;
      await keyboard.press('Tab');
      focus = await focusOf(cdp);
      passed.push(`${focus.role} "${focus.name}"`);
    }
    const at = new URL(page.url()).pathname;
    if (!isWanted(focus))
      throw new Error(`${at}: Tab never reaches ${name}, only ${[...new Set(passed)].join(', ')}`);
    const problem = isOurs(page.url()) ? await whyFocusIsUnseen(cdp) : '';
    if (problem !== '')
      throw new Error(`${at}: ${focus.role} "${focus.name}" has no visible focus: ${problem}`);
  }

  return {
    page,
    focus: () => focusOf(cdp),
    reaches: (name) => until(async () => (await focusOf(cdp)).name, name),
    tabTo,
    async fill(name, text) {
      await tabTo(name, 'textbox');
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type(text.slice(0, typedKeys));
      if (text.length > typedKeys) await keyboard.insertText(text.slice(typedKeys));
    },
    async press(name, role) {
      await tabTo(name, role);
      await keyboard.press('Enter');
    },
    type: (text) => keyboard.type(text),
    enter: () => keyboard.press('Enter'),
  };
}

/**
 * Returns the reason why the focused element isn't visible, or an empty string if it is visible. An element counts as
 * visible if the element, or its field or label, has an outline that isn't clipped or covered. The check uses rendered
 * frames. When content appears above an element, the browser corrects the scroll position only in the next frame. A
 * page that is still loading can replace the element or move the focus, so the check runs again in each frame with the
 * element that has focus then.
 */
const whyUnseenExpression = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const describe = (element) => {
    if (element === null) return 'nothing';
    const { localName, id, role, textContent } = element;
    return '<' + localName + (id && '#' + id) + (role ? ' role=' + role : '') + '> "' +
      textContent.trim().replace(/\\s+/g, ' ').slice(0, 60) + '"';
  };
  const isMarked = (element) => {
    if (element === null || element.parentElement === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    return isOutlined && getComputedStyle(element.parentElement).overflow === 'visible';
  };
  const first = document.activeElement;
  const whyUnseen = () => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body)
      return first === focused ? 'no element has focus'
        : describe(first) + (first.isConnected ? ' lost the focus' : ' was removed and lost the focus');
    const { x, y, width, height } = (focused.closest('label') ?? focused).getBoundingClientRect();
    const top = document.elementFromPoint(Math.min(x + width / 2, innerWidth - 1), y + height / 2);
    if (top === null) return describe(focused) + ' is outside the window, at y = ' + Math.round(y) + ' of ' + innerHeight;
    if (!focused.contains(top) && !top.contains(focused)) return describe(focused) + ' is covered by ' + describe(top);
    return [focused, focused.closest('label'), focused.parentElement].some(isMarked) ? ''
      : describe(focused) + ' has no outline';
  };
  for (let frame = 0; frame < ${settlingFrames}; frame += 1) {
    if (whyUnseen() === '') return '';
    await drawn();
  }
  return whyUnseen();
})()`;

async function whyFocusIsUnseen(cdp: CDPSession): Promise<string> {
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: whyUnseenExpression,
    awaitPromise: true,
    returnByValue: true,
  });
  return String(result.value ?? 'the page was replaced during the check');
}

async function focusOf(cdp: CDPSession): Promise<Focus> {
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'document.activeElement' });
  const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
    fetchRelatives: false,
    ...(result.objectId === undefined ? {} : { objectId: result.objectId }),
  });
  return { role: String(nodes[0]?.role?.value ?? ''), name: String(nodes[0]?.name?.value ?? '') };
}
