/** What pages say that ask to sign in. */
import { anyOf, mentioning, type Phrases } from './pattern.ts';

const titles: Phrases = {
  en: [
    '(please )?(log|sign)( |-)?(in|on)',
    'authentication required',
    'you must (be logged|log|sign) in',
    'members only',
  ],
  ar: ['تسجيل الدخول'],
  de: ['anmelden', 'anmeldung', 'einloggen'],
  es: ['iniciar sesi(ó|o)n', 'inicia sesi(ó|o)n'],
  fr: ['connexion', 'se connecter', 'identifiez-vous'],
  he: ['התחברות'],
  it: ['accedi'],
  ja: ['ログイン', 'サインイン'],
  ko: ['로그인'],
  pt: ['entrar'],
  ru: ['войти', 'вход'],
  zh: ['登录', '登入'],
};
const goingOn: Phrases = {
  en: ['to', 'with', 'or', 'page', 'required', 'form', 'in order'],
  de: ['und', 'zu'],
  es: ['en', 'a'],
  fr: ['à'],
  pt: ['na'],
};

/** "Log in", "Sign in to your account", "Anmelden | My site"; not "Login managers compared". */
export const signInTitle = new RegExp(
  String.raw`^\W*${anyOf(titles)}(?:\s*(?:$|[|·:–—!.,-])|\s+${anyOf(goingOn)}\b)`,
  'iu',
);

export const signInText = mentioning({
  words: {
    en: [
      '(log|sign)( |-)?in to (continue|view|access|see|read|your)',
      '(log|sign)( |-)?in (with|here|below|or)',
      '(need|have|must) (to )?(be )?(log(ged)?|sign(ed)?)( |-)?in',
      "(don't|do not) have an account",
      'forgot(ten)? (your )?password',
      'create (an|a free|your) account',
      'stay signed in',
      'remember me',
      'keep me (logged|signed) in',
      'this (page|content) is (only )?(available (only )?)?(for|to) (registered|members|subscribers|logged)',
    ],
  },
  parts: {
    ar: ['نسيت كلمة'],
    de: ['passwort vergessen'],
    es: ['olvidaste tu contraseña'],
    fr: ['mot de passe oublié'],
    ja: ['パスワードをお忘れ'],
    zh: ['忘记密码'],
  },
});

/** What the sentences of such a page are about. */
export const signInSubject = mentioning({
  beginnings: {
    en: [
      ...['log(ged)?( |-)?(in|on)', 'sign(ed)?( |-)?(in|up|on)', 'account', 'register', 'member', 'subscri'],
      ...['password', 'e-?mail', 'user ?name', 'remember', 'terms', 'privacy'],
    ],
  },
  parts: {
    ar: ['كلمة', 'دخول'],
    de: ['passwort', 'anmeld'],
    es: ['contraseña'],
    fr: ['mot de passe', 'connexion'],
    ja: ['パスワード', 'ログイン'],
    ru: ['пароль'],
    zh: ['密码', '登录'],
  },
});
