import { SidePanel } from '../../components/frame/side-panel.tsx';
import type { DocSection } from './doc-sections.ts';
import classes from './palette.module.css';

/** Shows a section of the documentation as Markdown. */
export function DocPanel({ section, onClose }: { section: DocSection; onClose: () => void }) {
  return (
    <SidePanel title={section.title} wide onClose={onClose}>
      <p className={classes.source}>
        {section.document} · docs/{section.file}
      </p>
      <pre className={classes.doc}>{section.text}</pre>
    </SidePanel>
  );
}
