// A page of rows. The kernel sorts, searches and cuts; what stands in a row is set as text and never as HTML.

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

function render({ model, el }) {
  const search = make("input", { type: "search", placeholder: "search", "aria-label": "search the table" });
  const count = make("span", { class: "memlab-table-count", role: "status" });
  const back = make("button", { type: "button", "aria-label": "previous page" }, "‹");
  const next = make("button", { type: "button", "aria-label": "next page" }, "›");
  const bar = make("div", { class: "memlab-table-bar" }, search, count, back, next);
  const head = make("tr");
  const body = make("tbody");
  const table = make("table", { role: "grid" }, make("thead", {}, head), body);
  const scroll = make("div", { class: "memlab-table-scroll" }, table);
  const caption = make("div", { class: "memlab-table-caption" });
  el.classList.add("memlab-table");
  // JupyterLab has meanings of its own for single keys.
  el.dataset.lmSuppressShortcuts = "true";
  el.append(caption, bar, scroll);

  let focus = 0; // the row that Tab reaches
  let wanted = null; // where the focus goes once the page has turned
  let timer = null;
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const turn = (pages, to = null) => {
    const { found, start } = model.get("view");
    const there = start + pages * model.get("page");
    if (there < 0 || there >= found) return;
    wanted = to === null ? null : { start: there, at: to };
    set({ start: there });
  };

  function drawHead() {
    // A heading that is in use keeps the focus.
    const used = head.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const by = model.get("sort");
    const down = model.get("descending");
    head.replaceChildren();
    for (const { name, label, kind } of model.get("headings")) {
      const sign = name === by ? (down ? " ▾" : " ▴") : "";
      const button = make("button", { type: "button", title: `sort by ${label}` }, label + sign);
      button.dataset.name = name;
      // First up, then down, then as it was.
      button.addEventListener("click", () => {
        if (name !== by) set({ sort: name, descending: false, start: 0 });
        else if (!down) set({ descending: true, start: 0 });
        else set({ sort: "", descending: false, start: 0 });
      });
      const sorted = name !== by ? "none" : down ? "descending" : "ascending";
      head.append(make("th", { scope: "col", class: `memlab-${kind}`, "aria-sort": sorted }, button));
      if (name === used) button.focus({ preventScroll: true });
    }
  }

  function drawRows() {
    // The place comes with the rows: the page never tells of rows that are still on their way.
    const { rows, found, total, start } = model.get("view");
    const headings = model.get("headings");
    const chosen = model.get("selected");
    // The line that says that there is nothing has no cells to fill.
    body.querySelector(".memlab-table-empty")?.remove();
    while (body.rows.length > rows.length) body.deleteRow(-1);
    rows.forEach(([key, ...cells], at) => {
      const row = body.rows[at] ?? body.insertRow();
      row.dataset.key = key;
      row.setAttribute("aria-rowindex", String(start + at + 2));
      row.setAttribute("aria-selected", String(key === chosen));
      while (row.cells.length > cells.length) row.deleteCell(-1);
      cells.forEach((text, place) => {
        const { kind, colours } = headings[place];
        const cell = row.cells[place] ?? row.insertCell();
        if (!cell.firstChild) cell.append(make("div", { dir: "auto" }));
        const inner = cell.firstChild;
        cell.className = `memlab-${kind}`;
        if (inner.textContent !== text) inner.textContent = text;
        if (kind === "text") cell.title = text;
        else cell.removeAttribute("title");
        const colour = colours[text];
        inner.classList.toggle("memlab-coloured", colour !== undefined);
        inner.style.setProperty("--memlab-colour", colour ?? "transparent");
      });
    });
    if (!rows.length) {
      const row = body.insertRow();
      row.className = "memlab-table-empty";
      const cell = row.insertCell();
      cell.colSpan = Math.max(1, headings.length);
      cell.textContent = total ? "no row has these words" : "no rows";
    }
    table.setAttribute("aria-rowcount", String(found + 1));
    const last = start + rows.length;
    const of = found === total ? String(total) : `${found} found of ${total}`;
    count.textContent = rows.length ? `${start + 1}–${last} of ${of}` : `0 of ${total}`;
    back.disabled = start <= 0;
    next.disabled = last >= found;
    const small = total <= model.get("page");
    bar.hidden = small && !model.get("search");
    const turned = wanted?.start === start;
    if (turned) focus = wanted.at === "last" ? rows.length - 1 : wanted.at;
    focus = Math.max(0, Math.min(focus, rows.length - 1));
    [...body.rows].forEach((row, at) => { row.tabIndex = at === focus && rows.length ? 0 : -1; });
    if (turned) body.rows[focus]?.focus({ preventScroll: true });
    if (turned) wanted = null;
  }

  const step = (at) => {
    const rows = body.rows;
    if (at < 0) return void turn(-1, "last");
    if (at >= rows.length) return void turn(1, 0);
    for (const row of rows) row.tabIndex = -1;
    focus = at;
    rows[at].tabIndex = 0;
    rows[at].focus();
    rows[at].scrollIntoView({ block: "nearest" });
  };
  const select = (row) => {
    const key = row?.dataset.key;
    if (key !== undefined) set({ selected: key === model.get("selected") ? "" : key });
  };
  body.addEventListener("click", (event) => {
    // Text that was marked to be copied is not a click.
    if (String(getSelection())) return;
    const row = event.target.closest("tr");
    step([...body.rows].indexOf(row));
    select(row);
  });
  body.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = event.target.closest("tr");
    const at = [...body.rows].indexOf(row);
    const keys = {
      ArrowDown: () => step(at + 1),
      ArrowUp: () => step(at - 1),
      Home: () => step(0),
      End: () => step(body.rows.length - 1),
      PageDown: () => turn(1, 0),
      PageUp: () => turn(-1, 0),
      Enter: () => select(row),
      " ": () => select(row),
      Escape: () => set({ selected: "" }),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => set({ search: search.value, start: 0 }), 150);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      step(0);
    }
  });
  back.addEventListener("click", () => turn(-1));
  next.addEventListener("click", () => turn(1));

  // What changed together is drawn once.
  let waiting = false;
  const draw = () => {
    waiting = false;
    if (document.activeElement !== search) search.value = model.get("search");
    caption.textContent = model.get("caption");
    table.setAttribute("aria-label", model.get("caption") || "table");
    drawHead();
    drawRows();
  };
  const change = () => {
    if (!waiting) queueMicrotask(draw);
    waiting = true;
  };
  const heard = ["view", "headings", "sort", "descending", "selected", "caption", "search"];
  for (const name of heard) model.on(`change:${name}`, change);
  draw();
  return () => {
    clearTimeout(timer);
    for (const name of heard) model.off(`change:${name}`, change);
  };
}

export default { render };
