/** The style of a report: light and dark by the reader's system, screens from phones upwards, and A4. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#f7f6f2;--card:#fff;--ink:#1b2126;--soft:#5a646c;--line:#e2e0d9;--yes:#0a6a5f;--yes-pale:#d8ebe7;--no:#a94a12;--no-pale:#f7e5d9;--track:#e9ecea}
@media(prefers-color-scheme:dark){:root{--paper:#13171a;--card:#1c2226;--ink:#e8ebed;--soft:#a0abb3;--line:#2d353b;--yes:#5cc5b5;--yes-pale:#17403a;--no:#e8a06b;--no-pale:#402a1a;--track:#2d373c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
main{max-width:1120px;margin:0 auto;padding:28px 22px 56px}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:end;gap:8px 24px;margin-bottom:20px}
header p{margin:0}
h1{font-size:27px;line-height:1.25;font-weight:650;letter-spacing:-.02em;margin:2px 0}
h2{font-size:16px;font-weight:620;margin:0 0 4px}
h3{font-size:14px;font-weight:620;margin:18px 0 4px}
p{margin:6px 0}
.soft,figcaption,caption{color:var(--soft)}
.note{color:var(--soft);font-size:13.5px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:18px 20px;margin-bottom:18px;min-width:0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:14px;margin:0 0 18px;padding:0;list-style:none}
.figures .card{margin:0}
.figure{display:block;font-size:30px;line-height:1.25;font-weight:650;letter-spacing:-.02em}
.yes{color:var(--yes)}.no{color:var(--no)}
.pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 18px}
figure{margin:0}
figcaption{font-size:13.5px}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:left;font-size:13.5px;padding-bottom:4px}
th,td{padding:7px 8px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody th{font-weight:inherit}
thead th{font-weight:500;font-size:13px;color:var(--soft);vertical-align:bottom}
.n{text-align:right;white-space:nowrap}
td.tight{white-space:nowrap}
svg{display:block}
.bar{width:84px;height:10px;margin-top:6px}
.chart{width:100%;height:auto;margin-top:6px}
.chart text{font-size:12px;fill:var(--soft)}
.track{fill:var(--track)}.fill{fill:var(--yes)}.rest{fill:var(--soft)}
.axis{stroke:var(--line);stroke-width:1}
.mark{stroke:var(--yes);stroke-width:1.5;stroke-dasharray:4 4}
.median{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 4}
.band{fill:var(--yes-pale)}
.points{fill:var(--yes);fill-opacity:.42}
.blocked{fill:var(--no);fill-opacity:.75}
.badge{display:inline-block;border-radius:99px;padding:1px 10px;font-size:13px;font-weight:600;white-space:nowrap;background:var(--track);color:var(--ink)}
.badge.good{background:var(--yes-pale);color:var(--yes)}
.badge.bad{background:var(--no-pale);color:var(--no)}
code,pre{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{color:var(--soft);overflow-wrap:anywhere}
pre{margin:8px 0 4px;white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px;overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:10px 12px}
summary{cursor:pointer}
.people{table-layout:fixed}
.people td,.people th{overflow-wrap:anywhere}
.people .c-id{width:15%}.people .c-score,.people .c-cost{width:86px}.people .c-proof{width:150px}
.tools{display:flex;flex-wrap:wrap;gap:10px;align-items:center;margin:8px 0}
.tools[hidden]{display:none}
input,select,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:9px;padding:7px 11px}
input{flex:1 1 220px;min-width:0}
button{cursor:pointer}
thead button{border:0;padding:0;background:none;font-size:13px;color:var(--soft);font-weight:500;text-align:inherit}
th[aria-sort=ascending] button::after{content:" ↑"}
th[aria-sort=descending] button::after{content:" ↓"}
:focus-visible{outline:2px solid var(--yes);outline-offset:2px;border-radius:4px}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 18px;margin:8px 0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media screen and (max-width:760px){.bar{width:48px}main{padding:18px 12px 40px}.pair{grid-template-columns:minmax(0,1fr)}.card{padding:14px}.chart text{font-size:15px}
.people,.people tbody,.people tr,.people td,.people th{display:block;width:auto}
.people thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.people tr{border-bottom:1px solid var(--line);padding:8px 0}.people tr[hidden]{display:none}.people td,.people tbody th{border:0;padding:1px 0}.people tbody th{font-weight:600}
.people td[data-name]{display:inline-block;margin-right:16px;text-align:left}.people td[data-name]::before{content:attr(data-name) " ";color:var(--soft);font-size:13px}
dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:8px}}
@page{size:A4;margin:14mm}
@media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc;--yes:#0a6a5f;--yes-pale:#d8ebe7;--no:#a94a12;--no-pale:#f7e5d9;--track:#e9ecea}
body{font-size:10.5px}main{max-width:none;padding:0}h1{font-size:20px}h2{font-size:13px}h3{font-size:11.5px}
.card{border-radius:6px;padding:10px 12px;margin-bottom:10px}.figure{font-size:19px}.figures{grid-template-columns:repeat(4,1fr);gap:8px}.pair{gap:0 10px}
.figures .card,figure,tr,h2,h3{break-inside:avoid}h2,h3{break-after:avoid}thead{display:table-header-group}.pair section{break-inside:avoid}
.bar{width:44px;height:7px}.tools,thead button::after{display:none}.note,caption,figcaption,thead th,thead button,code,pre,.badge{font-size:9px}th,td{padding:3px 5px}pre{max-height:none}
.bar rect,.badge,.band,.points,.blocked,.chart rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.people .c-score,.people .c-cost{width:52px}.people .c-proof{width:96px}}
`.trim();
