/**
 * Simulates a user without a mouse, who reaches every control with Tab, identifies it by the name and role that the
 * browser exposes to assistive technology, and must be able to see the focus.
 */
import type { CDPSession, Page } from 'playwright-core';

export interface Focus {
  readonly role: string;
  readonly name: string;
}

export interface Walker {
  readonly page: Page;
  focus(): Promise<Focus>;
  /**
   * Presses Tab until the element with this name has focus. @throws if the element isn't reached or its focus isn't
   * visible.
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

/** One second, because content above an element can render in several steps on a busy machine. */
const settlingFrames = 60;
/** More key presses than the longest page requires. */
const maxPresses = 80;
/** The controls of a page that is still loading don't exist yet. */
const maxLoadingMs = 10_000;

/** A page renders after each key, so only the start of a long text is typed. The rest is inserted in one step. */
const typedKeys = 6;

/** @param isOurs Whether the page at a URL is one of the pages to check. */
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
    // The page may already have moved the focus to this element.
    while (!isWanted(focus)) {
      if (passed.length >= maxPresses && Date.now() > giveUpAt) break;
      await keyboard.press('Tab');
      focus = await focusOf(cdp);
      passed.push(`${focus.role} "${focus.name}"`);
    }
    const at = new URL(page.url()).pathname;
    if (!isWanted(focus))
      throw new Error(`${at}: Tab never reaches ${name}, only ${[...new Set(passed)].join(', ')}`);
    if (isOurs(page.url()) && !(await isFocusSeen(cdp)))
      throw new Error(`${at}: ${focus.role} "${focus.name}" has no visible focus`);
  }

  return {
    page,
    focus: () => focusOf(cdp),
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
 * Whether the focus is visible: an outline of the element, or of its field or label, that isn't clipped. Checks
 * rendered frames, because the browser compensates for content that appears above an element only with the next frame.
 */
const isSeenExpression = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const focused = document.activeElement;
  const isMarked = (element) => {
    if (element === null || element.parentElement === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    return isOutlined && getComputedStyle(element.parentElement).overflow === 'visible';
  };
  const isSeen = () => {
    const { x, y, width, height } = (focused.closest('label') ?? focused).getBoundingClientRect();
    const top = document.elementFromPoint(Math.min(x + width / 2, innerWidth - 1), y + height / 2);
    const isOnTop = top !== null && (focused.contains(top) || top.contains(focused));
    return isOnTop && [focused, focused.closest('label'), focused.parentElement].some(isMarked);
  };
  for (let frame = 0; frame < ${settlingFrames}; frame += 1) {
    if (isSeen()) return true;
    await drawn();
  }
  return isSeen();
})()`;

async function isFocusSeen(cdp: CDPSession): Promise<boolean> {
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: isSeenExpression,
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value === true;
}

async function focusOf(cdp: CDPSession): Promise<Focus> {
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'document.activeElement' });
  const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
    fetchRelatives: false,
    ...(result.objectId === undefined ? {} : { objectId: result.objectId }),
  });
  return { role: String(nodes[0]?.role?.value ?? ''), name: String(nodes[0]?.name?.value ?? '') };
}
