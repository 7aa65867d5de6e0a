/** A tooltip that shows the values at the pointer. */
import type uPlot from 'uplot';
import classes from './plot.module.css';

/** The distance between the pointer and the tooltip. */
const gapPx = 12;

export interface TooltipTexts {
  /** Formats the x value of a position. */
  readonly x: (value: number, at: number) => string;
  readonly y: (value: number) => string;
}

export function tooltip(texts: TooltipTexts): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = classes.tooltip ?? '';
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
        plot.over.addEventListener('mouseleave', () => {
          box.hidden = true;
        });
      },
      setCursor: (plot) => show(plot, box, texts),
    },
  };
}

function show(plot: uPlot, box: HTMLElement, texts: TooltipTexts): void {
  const at = plot.cursor.idx ?? null;
  const lines = at === null ? [] : linesAt(plot, at, texts);
  box.hidden = at === null || lines.length === 0;
  if (at === null || box.hidden) return;
  const head = document.createElement('div');
  head.className = classes.tooltipHead ?? '';
  head.textContent = texts.x(plot.data[0][at] ?? 0, at);
  box.replaceChildren(head, ...lines);
  const left = plot.cursor.left ?? 0;
  const fits = left + gapPx + box.offsetWidth < plot.over.clientWidth;
  box.style.left = `${fits ? left + gapPx : Math.max(0, left - gapPx - box.offsetWidth)}px`;
}

/** Returns a line for each series that has a value at the position, with the largest value first. */
function linesAt(plot: uPlot, at: number, texts: TooltipTexts): HTMLElement[] {
  return plot.series
    .flatMap(({ label, stroke, show: isShown }, index) => {
      const value = plot.data[index]?.[at];
      if (index === 0 || isShown === false || value === null || value === undefined) return [];
      const color = typeof stroke === 'function' ? stroke(plot, index) : stroke;
      return [{ label: String(label), color: String(color), value }];
    })
    .sort((left, right) => right.value - left.value)
    .map(({ label, color, value }) => {
      const line = document.createElement('div');
      line.className = classes.tooltipLine ?? '';
      const mark = document.createElement('span');
      mark.className = classes.tooltipMark ?? '';
      mark.style.background = color;
      const number = document.createElement('b');
      number.textContent = texts.y(value);
      line.append(mark, label, number);
      return line;
    });
}
