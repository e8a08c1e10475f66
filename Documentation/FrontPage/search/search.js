// Searches index.json, which Scripts/lib/docs/search.py makes: `pages` of [title, address, summary, group], and for each word
// of `words` a list of pages and scores in turn.
const index = await (await fetch("index.json")).json();
const input = document.querySelector("input");
const results = document.querySelector("#results");

// The scores by page of the words that begin with a term. A term without any loses its last letters.
function scores(term) {
    const found = new Map();
    for (const word in index.words) {
        if (!word.startsWith(term)) continue;
        const entries = index.words[word];
        const weight = word === term ? 1 : 0.5;
        for (let i = 0; i < entries.length; i += 2) {
            found.set(entries[i], Math.max(found.get(entries[i]) ?? 0, entries[i + 1] * weight));
        }
    }
    return found.size || term.length < 4 ? found : scores(term.slice(0, -1));
}

// The pages that have all terms, the best first.
function find(query) {
    const terms = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const [first, ...others] = terms.map(scores);
    const found = [...(first ?? [])].filter(([page]) => others.every((other) => other.has(page)));
    const sum = ([page, score]) => others.reduce((total, other) => total + other.get(page), score);
    return found.sort((a, b) => sum(b) - sum(a)).map(([page]) => index.pages[page]);
}

function element(name, text, ...children) {
    const made = document.createElement(name);
    made.append(...(text ? [text] : []), ...children);
    return made;
}

function entry([title, address, summary]) {
    const link = element("a", title);
    link.href = "../" + address;
    return element("li", "", link, element("p", summary));
}

function show() {
    const found = find(input.value);
    results.replaceChildren();
    index.groups.forEach((name, group) => {
        const pages = found.filter((page) => page[3] === group).slice(0, 12);
        if (!pages.length) return;
        const list = element("ul", "", ...pages.map(entry));
        list.className = "results";
        results.append(element("h2", name), list);
    });
    if (!found.length && input.value) results.append(element("p", "No page has all of these words."));
}

input.value = new URLSearchParams(location.search).get("q") ?? "";
input.addEventListener("input", () => {
    history.replaceState(null, "", "?q=" + encodeURIComponent(input.value));
    show();
});
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
show();
