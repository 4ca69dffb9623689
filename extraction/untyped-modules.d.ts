/** Packages that ship no types, as far as we call them. */
declare module 'sentencex' {
  /** Sentences of a text in the language of an ISO 639-1 code; white space between paragraphs comes as an entry too. */
  export function segment(language: string, text: string): string[];
}
