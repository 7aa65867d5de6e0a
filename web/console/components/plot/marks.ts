/** Marks events with dashed vertical lines, and shows the name of an event near the pointer. */
import type uPlot from 'uplot';
import classes from './plot.module.css';

interface Mark {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly label: string;
}

/** The distance of the pointer from a line within which the event's name is shown. */
const nearPx = 6;
const dashPx = 3;

/** @param color returns the color of the lines */
export function marks(current: () => readonly Mark[], color: () => string): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = classes.mark ?? '';
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
        plot.over.addEventListener('mouseleave', () => {
          box.hidden = true;
        });
      },
      draw: (plot) => {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = color();
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([dashPx * devicePixelRatio, dashPx * devicePixelRatio]);
        ctx.beginPath();
        for (const { time } of current()) {
          const x = Math.round(plot.valToPos(time, 'x', true));
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
        }
        ctx.stroke();
        ctx.restore();
      },
      setCursor: (plot) => {
        const left = plot.cursor.left ?? -1;
        const near = current().filter(({ time }) => Math.abs(plot.valToPos(time, 'x') - left) <= nearPx);
        box.hidden = left < 0 || near.length === 0;
        if (box.hidden) return;
        box.textContent = near.map(({ label }) => label).join(', ');
        box.style.left = `${Math.max(0, Math.min(left, plot.over.clientWidth - box.offsetWidth))}px`;
      },
    },
  };
}
