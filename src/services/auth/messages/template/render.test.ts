import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TemplateError } from './parse.ts';
import { renderHtml, renderText } from './render.ts';

const data = {
  Token: '123456',
  SiteURL: 'http://127.0.0.1:3000',
  ConfirmationURL: 'http://127.0.0.1:54321/auth/v1/verify?token=ab&type=signup&redirect_to=http://x',
  Email: 'a+b@example.com',
  Data: { name: '<b>Ann</b>', tags: ['x', 'y'], admin: true },
};

describe('renderHtml', () => {
  test.each([
    ['plain', 'plain'],
    ['{{ .Token }}', '123456'],
    ['{{.Token}}{{/* a comment with }} */}}!', '123456!'],
    ['{{ .Email }}', 'a&#43;b@example.com'],
    ['<p>{{ .Data.name }}</p>', '<p>&lt;b&gt;Ann&lt;/b&gt;</p>'],
    ['{{ .Data.missing.deeper }}', ''],
    ['a {{- " " -}} b', 'a b'],
    ['{{ if .Data.admin }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if eq .Data.x "1" }}1{{ else if .Token }}T{{ else }}none{{ end }}', 'T'],
    ['{{ with .Data }}{{ .name }} {{ $.Token }}{{ end }}', '&lt;b&gt;Ann&lt;/b&gt; 123456'],
    ['{{ range $i, $t := .Data.tags }}{{ $i }}={{ $t }};{{ end }}', '0=x;1=y;'],
    ['{{ range .Nothing }}x{{ else }}empty{{ end }}', 'empty'],
    ['{{ $t := .Token }}{{ slice $t 0 3 }}-{{ slice $t 3 }}', '123-456'],
    ['{{ printf "%s!%d" .Token 7 }}', '123456!7'],
    ['{{ .Token | printf "[%s]" }}', '[123456]'],
    ['{{ if and .Token (not .Data.x) }}ok{{ end }}', 'ok'],
    ['{{ (index .Data.tags 1) }}', 'y'],
    ['<a href="{{ .ConfirmationURL }}">', `<a href="${data.ConfirmationURL.replaceAll('&', '&amp;')}">`],
    [
      '<a href="{{ .SiteURL }}/c?token={{ .Token }}&e={{ .Email }}">x</a>{{ .Email }}',
      '<a href="http://127.0.0.1:3000/c?token=123456&e=a%2bb%40example.com">x</a>a&#43;b@example.com',
    ],
    ['<a title="{{ .Data.name }}">', '<a title="&lt;b&gt;Ann&lt;/b&gt;">'],
    [
      '<script>let t = {{ .Data.name }};</script>{{ .Token }}',
      '<script>let t = "\\u003cb\\u003eAnn\\u003c/b\\u003e";</script>123456',
    ],
    ['<!-- {{ .Token }} -->{{ .Token }}', '<!--  -->123456'],
  ])('%s', (source, expected) => {
    expect(renderHtml(source, data)).toBe(expected);
  });

  test('a URL that can run scripts is omitted', () => {
    expect(renderHtml('<a href="{{ .U }}">', { U: 'javascript:alert(1)' })).toBe('<a href="#ZgotmplZ">');
    expect(renderHtml('<a href={{ .U }}>', { U: ' JavaScript:x' })).toBe('<a href=#ZgotmplZ>');
  });

  test.each([
    '{{ if .X }}',
    '{{ end }}',
    '{{ .X',
    '{{ nofunction .X }}',
    '{{ "a }}',
    '{{ }',
    '{{ .X .Y }}',
    '{{ ( .X }}',
  ])('%s is a template error', (source) => {
    expect(() => renderHtml(source, data)).toThrow(TemplateError);
  });

  test.each([
    ['a\n{{ nofunction .X }}', 'function "nofunction" not defined (line 2)'],
    ['{{ if .Token }}\n\n{{ $none }}{{ end }}', 'undefined variable "$none" (line 3)'],
    ['{{ .Token }}\n{{ if .Token }}\n{{ else }}\n', '{{ if .Token }} has no {{ end }} (line 2)'],
    ['{{/* a\nb */}}\n{{ end }}', '{{ end }} without a matching opening tag (line 3)'],
    ['\n{{ .X\n', 'an action is not closed with }} (line 2)'],
    ['{{- if .Token -}}\n\n {{ ( .X }}{{ end }}', 'unclosed ( in {{ ( .X }} (line 3)'],
    ['{{ if .None }}\n{{ else if nothing }}{{ end }}', 'function "nothing" not defined (line 2)'],
  ])('the error in %j has its line number', (source, message) => {
    expect(() => renderHtml(source, data)).toThrow(message);
  });

  test('a value can’t open a tag or escape its attribute', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const inText = renderHtml('<p>{{ .V }}</p>', { V: value });
        expect(inText.slice(3, -4)).not.toMatch(/[<>"']/);
        const inAttribute = renderHtml('<a href="{{ .V }}" title="{{ .V }}">', { V: value });
        expect(inAttribute.match(/"/g)).toHaveLength(4);
        expect(inAttribute.match(/[<>]/g)).toHaveLength(2);
      }),
    );
  });

  test('any source is rendered or causes a template error', () => {
    const source = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          '{{',
          '}}',
          '{{ end }}',
          '{{ if .A }}',
          '{{ range .A }}',
          '"',
          '<a href="',
          '|',
          '(',
          '$x :=',
        ),
      ),
    );
    fc.assert(
      fc.property(source, (parts) => {
        try {
          renderHtml(parts.join(''), { A: ['1'] });
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }),
    );
  });
});

test('renderText doesn’t escape values', () => {
  expect(renderText('Your code is {{ .Code }} <3', { Code: 'a&b' })).toBe('Your code is a&b <3');
});

describe('a template that is too complex is rejected quickly', () => {
  const sample = Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`Key${index}`, 'value']));
  const long = 'x'.repeat(1000);
  test.each([
    ['nested ranges', `${'{{range $}}'.repeat(8)}${'{{end}}'.repeat(8)}`],
    ['a long output in ranges', `${'{{range $}}'.repeat(3)}${long}${'{{end}}'.repeat(3)}`],
    ['a value that doubles', `{{$a := "${long}"}}${'{{$a = printf "%s%s" $a $a}}'.repeat(40)}`],
    ['large values that are printed again and again', `{{print ${'$ '.repeat(40_000)}}}`],
    ['maps that are compared again and again', `{{eq ${'$ '.repeat(40_000)}}}`],
    ['many variables', Array.from({ length: 200 }, (_, index) => `{{$v${index} := 1}}`).join('')],
    ['nested blocks', `${'{{if true}}'.repeat(9000)}${'{{end}}'.repeat(9000)}`],
    ['nested groups', `{{${'('.repeat(30_000)}1${')'.repeat(30_000)}}}`],
    ['fields of groups', `{{print ${'(.A).B '.repeat(14_000)}}}`],
    ['comments that aren’t closed', `{{${'/*'.repeat(50_000)}`],
    ['texts that aren’t closed', `{{${'"\\'.repeat(50_000)}`],
  ])('%s', (_name, source) => {
    const start = performance.now();
    expect(() => renderHtml(source, sample)).toThrow(TemplateError);
    expect(performance.now() - start).toBeLessThan(1500);
  });

  test('and a width is limited', () => {
    expect(renderText('{{ printf "%500000000d" 1 }}', {}).length).toBeLessThan(1000);
  });
});
