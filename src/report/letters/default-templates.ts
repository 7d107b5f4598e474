/**
 * The templates that are used without a template of the user. The HTML is one file without scripts and without anything from a network. The
 * letter prints on A4 and follows the light or dark setting of the screen.
 */
export const HTML_TEMPLATE = `<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{title}}</title>
<style>
:root {
  color-scheme: light dark;
  --page: #f7f6f2; --card: #ffffff; --ink: #1d2327; --soft: #5d6a70; --line: #dfe3e1;
  --yes: #0b6e60; --yes-soft: #dcede8; --no: #a84a16; --no-soft: #f9e4d8; --bar: #cad3d0; --after: #86b0aa;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181a; --card: #1d2326; --ink: #e8ebea; --soft: #a3adb0; --line: #343c40;
    --yes: #62c4b2; --yes-soft: #173a35; --no: #f0a274; --no-soft: #43281a; --bar: #39434a; --after: #2f6d63;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 Inter, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 46rem; margin: 2rem auto; padding: 2.5rem 3rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem; }
header p { margin: 0; color: var(--soft); display: flex; justify-content: space-between; gap: 1rem; flex-wrap: wrap; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .6rem 0 1.2rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; break-after: avoid; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; break-after: avoid; }
p { margin: .5rem 0; }
.verdict { display: inline-block; padding: .3rem .9rem; border-radius: 1rem; font-weight: 600; }
.verdict.no { background: var(--no-soft); color: var(--no); }
.verdict.yes { background: var(--yes-soft); color: var(--yes); }
dl { margin: .7rem 0; }
dd { margin: 0; }
.changes div { margin: .5rem 0; padding: .6rem 1rem; border-left: .25rem solid var(--yes); background: var(--yes-soft); border-radius: .3rem; break-inside: avoid; }
.changes.barred div { border-left-color: var(--bar); background: none; padding: .2rem 1rem; }
.changes dt { color: var(--soft); }
.changes dd { font-weight: 600; }
.data div { display: flex; justify-content: space-between; gap: 1rem; padding: .28rem 0; border-bottom: 1px solid var(--line); break-inside: avoid; }
.data dt { color: var(--soft); }
.data dd { text-align: right; }
li { margin: .3rem 0; }
.receipt { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .3rem; font-size: .7rem; line-height: 1.35; overflow-wrap: anywhere; }
.scale { margin: 1rem 0; break-inside: avoid; }
.bar { position: relative; height: .7rem; border-radius: .35rem; background: var(--bar); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar i { position: absolute; left: 0; top: 0; bottom: 0; border-radius: .35rem; background: var(--after); }
.bar i.now { background: var(--no); }
.bar b { position: absolute; top: -.35rem; bottom: -.35rem; width: 2px; margin-left: -1px; background: var(--ink); }
.scale p { display: flex; gap: .3rem 1.4rem; flex-wrap: wrap; margin: .6rem 0 0; font-size: .85rem; color: var(--soft); }
.scale span::before { content: ""; display: inline-block; width: .7rem; height: .7rem; margin-right: .4rem; border-radius: 50%; background: var(--no); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.scale span.after::before { background: var(--after); }
.scale span.needed::before { width: 2px; border-radius: 0; background: var(--ink); }
footer { margin-top: 2.5rem; padding-top: .8rem; border-top: 1px solid var(--line); font-size: .8rem; color: var(--soft); display: flex; gap: .2rem 1.4rem; flex-wrap: wrap; overflow-wrap: anywhere; }
main { overflow-wrap: anywhere; }
@media (max-width: 40rem) { main { margin: 0; padding: 1.2rem; border: 0; border-radius: 0; } }
@page { size: A4; margin: 20mm 22mm; }
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc; --yes: #0b6e60; --yes-soft: #fff; --no: #a84a16; --no-soft: #fff; --bar: #d5dad8; --after: #86b0aa; }
  body { font-size: 10.5pt; line-height: 1.45; }
  main { max-width: none; margin: 0; padding: 0; border: 0; }
  .verdict { padding: 0; border-radius: 0; }
  .changes div { padding: .2rem .8rem; }
}
</style>
</head>
<body>
<main>
<header>
<p><span>{{sender}}</span> <span>{{date}}</span></p>
<h1>{{title}}</h1>
</header>
<p>{{greeting}}</p>
{{decision}}
{{reasons}}
{{explanation}}
{{others}}
{{data}}
{{review}}
{{validity}}
<footer>
{{record}}
</footer>
</main>
</body>
</html>
`;

export const TEXT_TEMPLATE = `{{sender}}
{{date}}

{{title}}

{{greeting}}

{{decision}}

{{reasons}}

{{explanation}}

{{others}}

{{data}}

{{review}}

{{validity}}

--
{{record}}
`;
