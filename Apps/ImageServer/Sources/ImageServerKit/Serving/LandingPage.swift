import HTTPTypes

/// The page at `/`: a form that builds a URL and shows the result. With `/?source=` and an address it shows that at once.
enum LandingPage {
    static var response: ServerResponse {
        ServerResponse(
            status: 200, text: html, type: "text/html; charset=utf-8",
            headers: [.contentSecurityPolicy: policy, .cacheControl: "no-cache"])
    }

    /// The page loads nothing but results of this server.
    private static let policy = """
        default-src 'none'; img-src blob:; connect-src 'self'; style-src 'unsafe-inline'; \
        script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    private static let html = head + form + result + script

    private static let head = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Image server</title>
        <style>
        :root { color-scheme: light dark; --line: light-dark(#8a8f98, #70757d); --soft: light-dark(#f2f4f7, #22262b);
          --strong: light-dark(#0b57d0, #a8c7fa); --on-strong: light-dark(#fff, #062e6f); --bad: light-dark(#b3261e, #f2b8b5); }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
        p { margin: .25rem 0 1rem; }
        form { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); }
        form > .wide { grid-column: 1 / -1; }
        label { display: block; font-size: .9rem; }
        input, select { width: 100%; min-height: 2.75rem; padding: .4rem .6rem; font: inherit; border: 1px solid var(--line);
          border-radius: .4rem; background: Field; color: FieldText; }
        button { min-height: 2.75rem; padding: .4rem 1.25rem; font: inherit; font-weight: 600; border: 0; border-radius: .4rem;
          background: var(--strong); color: var(--on-strong); cursor: pointer; }
        :focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
        details > div { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); margin-top: .5rem; }
        summary { padding: .6rem 0; cursor: pointer; }
        #status.bad { color: var(--bad); }
        output, code { overflow-wrap: anywhere; }
        figure { margin: 0; padding: 1rem; background: var(--soft); border-radius: .4rem; text-align: center; }
        figure img { max-width: 100%; height: auto; }
        table { border-collapse: collapse; width: 100%; } caption { text-align: left; font-weight: 600; }
        th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid var(--line); font-weight: 400; }
        td { text-align: right; font-variant-numeric: tabular-nums; }
        </style>
        </head>

        """

    private static let formats = OutputFormats.all.map { "<option>\($0.extensions[0])</option>" }.joined()

    private static let form = """
        <body>
        <main>
        <h1>Image server</h1>
        <p>Enter the address of an image. The page builds the URL of the result and shows it.</p>
        <form id="form">
        <div class="wide"><label for="source">Image address</label>
        <input id="source" type="url" required autocomplete="url" placeholder="https://example.com/photo.jpg"></div>
        <div><label for="width">Width in pixels</label>
        <input id="width" type="number" min="0" max="65535" inputmode="numeric" value="300"></div>
        <div><label for="height">Height in pixels</label>
        <input id="height" type="number" min="0" max="65535" inputmode="numeric" value="300"></div>
        <div><label for="type">Resizing</label>
        <select id="type"><option value="fit">fit</option><option value="fill">fill</option><option value="fill-down">fill-down</option><option value="force">force</option><option value="auto">auto</option></select></div>
        <div><label for="format">Format</label>
        <select id="format"><option value="">automatic</option>\(formats)</select></div>
        <div><label for="quality">Quality, 1 to 100</label>
        <input id="quality" type="number" min="1" max="100" inputmode="numeric" placeholder="80"></div>
        <div class="wide"><label for="more">More options, separated by slashes</label>
        <input id="more" autocapitalize="none" spellcheck="false" placeholder="blur:2/padding:10/background:ffffff"></div>
        <details class="wide"><summary>Signature</summary>
        <p>Key and salt sign the URL in this page. They are not sent and not stored.</p>
        <div><span><label for="key">Key, hexadecimal</label><input id="key" type="password" autocomplete="off"></span>
        <span><label for="salt">Salt, hexadecimal</label><input id="salt" type="password" autocomplete="off"></span></div>
        </details>
        <div class="wide"><button id="show">Show result</button></div>
        </form>

        """

    private static let result = """
        <p id="status" role="status" aria-live="polite"></p>
        <section id="result" aria-labelledby="heading" hidden>
        <h2 id="heading" tabindex="-1">Result</h2>
        <figure><img id="image" alt="The result"></figure>
        <p><code id="url"></code></p>
        <table><caption>Properties</caption><tbody id="facts"></tbody></table>
        <h2>Time</h2>
        <table><caption>Time by stage, in milliseconds</caption><tbody id="times"></tbody></table>
        </section>
        </main>

        """

    private static let script = """
        <script>
        "use strict";
        const $ = id => document.getElementById(id);
        let shown = null;

        function bytes(hex) {
          if (!/^([0-9a-f]{2})+$/i.test(hex)) throw new Error("Key and salt must be hexadecimal.");
          return Uint8Array.from(hex.match(/../g), pair => parseInt(pair, 16));
        }

        async function signature(path) {
          if (!$("key").value) return "insecure";
          if (!crypto.subtle) throw new Error("Signing needs https or localhost.");
          const use = { name: "HMAC", hash: "SHA-256" };
          const key = await crypto.subtle.importKey("raw", bytes($("key").value.trim()), use, false, ["sign"]);
          const salt = $("salt").value ? bytes($("salt").value.trim()) : new Uint8Array();
          const text = new TextEncoder().encode(path);
          const message = new Uint8Array(salt.length + text.length);
          message.set(salt); message.set(text, salt.length);
          const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
          return btoa(String.fromCharCode(...digest)).replace(/[+]/g, "-").replace(/[/]/g, "_").replace(/=/g, "");
        }

        async function makeURL() {
          const number = id => $(id).value || "0";
          const parts = ["rs:" + $("type").value + ":" + number("width") + ":" + number("height")];
          if ($("quality").value) parts.push("q:" + $("quality").value);
          parts.push(...$("more").value.split("/").map(part => part.trim()).filter(part => part));
          const extension = $("format").value ? "@" + $("format").value : "";
          const source = encodeURIComponent($("source").value.trim());
          const path = "/" + parts.map(encodeURI).join("/") + "/plain/" + source + extension;
          return "/" + await signature(path) + path;
        }

        function fill(table, rows) {
          table.replaceChildren(...rows.map(([name, value]) => {
            const row = document.createElement("tr");
            const head = document.createElement("th");
            const cell = document.createElement("td");
            head.scope = "row"; head.textContent = name; cell.textContent = value;
            row.append(head, cell);
            return row;
          }));
        }

        function say(text, isBad) {
          $("status").textContent = text;
          $("status").className = isBad ? "bad" : "";
        }

        async function show(event) {
          event.preventDefault();
          say("Loading…");
          try {
            const url = await makeURL();
            const start = performance.now();
            const response = await fetch(url, { cache: "no-store", headers: { Accept: "image/avif,image/webp,*/*" } });
            if (!response.ok) throw new Error(response.status + ": " + (await response.text()).trim());
            const blob = await response.blob();
            const total = performance.now() - start;
            if (shown) URL.revokeObjectURL(shown);
            shown = URL.createObjectURL(blob);
            const field = name => response.headers.get(name) || "";
            $("image").src = shown;
            $("image").alt = "Result of " + $("source").value;
            $("url").textContent = location.origin + url;
            const levels = { memory: "from this server's memory", disk: "from this server's disk", shared: "from the shared cache", origin: "rendered now" };
            fill($("facts"), [["Size", field("X-Result-Size").replace("x", " × ") + " pixels"],
              ["File", blob.size.toLocaleString() + " bytes, " + blob.type], ["Served", levels[field("X-Cache")] || field("X-Cache")],
              ["Caching", field("Cache-Control")]]);
            const stages = field("Server-Timing").split(",").filter(text => text).map(text => {
              const [name, time] = text.trim().split(";dur=");
              return [name, Number(time).toFixed(2)];
            });
            fill($("times"), [...stages, ["total, with the transfer", total.toFixed(2)]]);
            $("result").hidden = false;
            say("The result has " + blob.size.toLocaleString() + " bytes, " + (levels[field("X-Cache")] || "") + ".");
            $("heading").focus();
          } catch (error) {
            $("result").hidden = true;
            say(error.message, true);
          }
        }

        $("form").addEventListener("submit", show);
        $("source").value = new URLSearchParams(location.search).get("source") || "";
        if ($("source").value) $("form").requestSubmit();
        </script>
        </body>
        </html>

        """
}
