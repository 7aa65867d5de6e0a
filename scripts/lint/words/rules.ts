/** Lists words that plain English avoids, each with a replacement, and British spellings. */

export interface WordRule {
  /** The name of the rule, as it appears in reports and exceptions. */
  readonly name: string;
  /** A regular expression. A space in the pattern also matches a line break within a comment. */
  readonly pattern: string;
  /** The replacement that a report suggests. */
  readonly instead: string;
}

const phrase = (name: string, instead: string, pattern = `\\b${name}\\b`): WordRule => ({
  name,
  pattern,
  instead,
});

const phrases: readonly WordRule[] = [
  // The following three rules also apply to identifiers.
  phrase('whoever', 'name the thing: any role with a grant', 'whoever|whomever'),
  phrase('somebody', 'name the user, client or operator', 'somebody'),
  phrase('nobody', 'no user, no client', 'nobody'),
  phrase('anew', 'again'),
  phrase('thereof', 'of it, or a possessive'),
  phrase('herein', 'in it'),
  phrase('for good', 'permanently'),
  phrase('is no', "isn't a", '\\bis no (?!longer\\b)'),
  phrase('are no', "aren't any", '\\bare no (?!longer\\b)'),
  phrase('any more', 'anymore, or no longer', '\\bany more\\b(?! than\\b)'),
  phrase('go on', 'continue', '\\b(?:go|goes|going|went) on\\b'),
  phrase('at once', 'immediately, or concurrently', '(?<!\\ball )\\bat once\\b'),
  phrase('a further', 'another, or a separate'),
  phrase('of its own', 'separate, or its own', '\\bof (?:its|their) own\\b'),
  phrase('stands in', 'is stored in, is in', '\\bstands? in\\b'),
  phrase('comes to', 'is, reaches'),
  phrase('tells', 'reports, shows, sends'),
  phrase('turned down', 'rejected'),
  phrase('have to bear', 'must accept', '\\b(?:have|has|had) to bear\\b'),
];

/**
 * Stems of British words. The endings of all these words change in the same way. For example, `organis` matches
 * organise, organised and organisation.
 */
const stems: readonly string[] = [
  ...['apologis', 'authoris', 'capitalis', 'categoris', 'characteris', 'customis', 'finalis', 'generalis'],
  ...[
    'initialis',
    'localis',
    'maximis',
    'minimis',
    'normalis',
    'optimis(?!t|m)',
    'organis(?!m)',
    'parametris',
  ],
  ...['penalis', 'prioritis', 'randomis', 'realis(?!t|m)', 'recognis', 'sanitis', 'serialis', 'specialis'],
  ...['standardis', 'summaris', 'synchronis(?!m)', 'tokenis', 'utilis', 'visualis'],
  ...['analys(?=e\\b|ed\\b|er|ing)', 'catalys(?=e\\b|ed\\b|ing)', 'paralys(?=e\\b|ed\\b|ing)'],
  ...['behaviour', 'colour', 'favour', 'flavour', 'honour', 'humour', 'labour', 'neighbour', 'rumour'],
  ...['analogue', 'catalogue', 'dialogue', 'centre', 'metre\\b', 'defence', 'licence', 'offence', 'pretence'],
  ...['artefact', 'cheque', 'grey', 'judgement', 'programme(?!d|r)', 'sceptic', 'storey', 'tyre\\b'],
  ...['cancell(?=ed|ing)', 'labell(?=ed\\b|ing\\b)', 'modell(?=ed|ing)', 'signall(?=ed|ing)', 'travell'],
  ...[
    'ageing\\b',
    'amongst\\b',
    'learnt\\b',
    'spelt\\b',
    'whilst\\b',
    'fulfils?\\b',
    'enrols?\\b',
    'enrolment',
  ],
];

const britishSpelling: WordRule = {
  name: 'British spelling',
  pattern: `\\b(?:${stems.join('|')})\\w*`,
  instead: 'the American spelling',
};

export const wordRules: readonly WordRule[] = [...phrases, britishSpelling];
