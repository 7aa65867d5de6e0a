import { describe, expect, it } from 'vitest';
import { findFile, projectPage } from './simple-index.ts';

const url = 'https://index.example/simple/tool/';
const file = 'tool-1.0-py3-none-any.whl';

describe('the page of a project', () => {
  it('has a normalized name', () => {
    expect(projectPage('https://index.example/simple', 'A__b.C')).toBe('https://index.example/simple/a-b-c/');
  });

  it('is read as JSON', () => {
    const text = JSON.stringify({ files: [{ filename: file, url: `../../files/${file}` }] });
    const page = { url, contentType: 'application/vnd.pypi.simple.v1+json', text };
    expect(findFile(page, file)).toBe(`https://index.example/files/${file}`);
    expect(findFile(page, 'other.whl')).toBeUndefined();
  });

  it('is read as HTML', () => {
    const page = (text: string) => findFile({ url, contentType: 'text/html; charset=utf-8', text }, file);
    expect(page(`<a href="https://f.example/a/${file}#sha256=00" data-x="">${file}</a>`)).toBe(
      `https://f.example/a/${file}`,
    );
    expect(page(`<base href='/base/'><a data-y='1' href='x?a=1&amp;b=2'> ${file} </a>`)).toBe(
      'https://index.example/base/x?a=1&b=2',
    );
    expect(page(`<a href="a/${file}">wheel</a>`)).toBe(`${url}a/${file}`);
    expect(page(`<a href="other.whl">other.whl</a>`)).toBeUndefined();
  });

  it('only links to web addresses', () => {
    const page = { url, contentType: 'text/html', text: `<a href="file:///etc/${file}">${file}</a>` };
    expect(findFile(page, file)).toBeUndefined();
  });
});
