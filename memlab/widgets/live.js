// A chart that stands still while its rows and parameters change.

// Vega is imported once a page, whatever the number of charts, kernels and copies of this module.
const imported = (globalThis.memlabVega ??= new Map());

async function vegaOf(model) {
  const vega = await model.widget_manager.get_model(model.get("vega").replace("IPY_MODEL_", ""));
  const key = vega.get("key");
  if (!imported.has(key)) {
    const url = URL.createObjectURL(new Blob([vega.get("source")], { type: "text/javascript" }));
    const module = import(/* webpackIgnore: true */ url).finally(() => URL.revokeObjectURL(url));
    imported.set(key, module);
    module.catch(() => imported.delete(key));
  }
  return (await imported.get(key)).default;
}

const DARK = { ink: "#e6e6e6", faint: "#b5b5b5" };
const LIGHT = { ink: "#1f2328", faint: "#57606a" };

// JupyterLab and Notebook say it on the body, VS Code by a class; elsewhere the page is taken to be light.
function isDark() {
  const body = document.body;
  return body.dataset.jpThemeLight === "false" || body.classList.contains("vscode-dark");
}

function tinted(spec) {
  const { ink, faint } = isDark() ? DARK : LIGHT;
  const tinted = structuredClone(spec);
  const config = (tinted.config ??= {});
  config.background = "transparent";
  for (const part of ["axis", "legend", "header"]) {
    config[part] = { ...config[part], labelColor: ink, titleColor: faint };
  }
  config.title = { ...config.title, color: ink, subtitleColor: faint };
  config.text = { ...config.text, color: ink };
  config.rule = { ...config.rule, color: ink };
  return tinted;
}

async function render({ model, el }) {
  let view = null;
  let embedded = null;
  let painting = Promise.resolve();
  let clicks = 0;
  el.classList.toggle("memlab-pickable", model.get("pickable"));

  const fail = (error) => {
    model.set("error", String(error?.message ?? error));
    model.save_changes();
  };

  // Rows and parameters that came together are painted together; rows that stayed are left alone.
  let rowsChanged = true;
  let waiting = false;
  let painted = 0;
  async function paint() {
    waiting = false;
    if (!view) return;
    if (rowsChanged) {
      rowsChanged = false;
      // Vega writes into the rows that it is given: what is read anew is its own.
      for (const [name, rows] of Object.entries(JSON.parse(model.get("rows")))) {
        view.change(name, view.changeset().remove(() => true).insert(rows));
      }
    }
    for (const [name, value] of Object.entries(model.get("params"))) view.signal(name, value);
    await view.runAsync();
    el.dataset.painted = String(++painted);
  }

  async function draw() {
    embedded?.finalize();
    embedded = view = null;
    if (!Object.keys(model.get("spec")).length) {
      el.replaceChildren();
      return;
    }
    const vegaEmbed = await vegaOf(model);
    embedded = await vegaEmbed(el, tinted(model.get("spec")), { actions: false, renderer: "svg" });
    view = embedded.view;
    view.addEventListener("click", (_, item) => {
      const row = item?.datum;
      // A line or an area is of many rows, and none of them was clicked.
      if (!row || !model.get("pickable") || ["line", "area"].includes(item.mark?.marktype)) return;
      const plain = Object.entries(row).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
      // Every click is a change, also the second on one mark.
      model.set("clicked", { ...Object.fromEntries(plain), click: ++clicks });
      model.save_changes();
    });
    rowsChanged = true;
    await paint();
  }

  // One after another: a repaint that began before the last one ended would read half-changed rows.
  const queue = (step) => {
    painting = painting.then(step).catch(fail);
    return painting;
  };
  const onParams = () => {
    if (!waiting) queue(paint);
    waiting = true;
  };
  const onRows = () => {
    rowsChanged = true;
    onParams();
  };
  const onSpec = () => queue(draw);
  model.on("change:rows", onRows);
  model.on("change:params", onParams);
  model.on("change:spec", onSpec);
  let dark = isDark();
  const theme = new MutationObserver(() => {
    if (dark !== isDark()) onSpec();
    dark = isDark();
  });
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  await queue(draw);
  return () => {
    theme.disconnect();
    model.off("change:rows", onRows);
    model.off("change:params", onParams);
    model.off("change:spec", onSpec);
    embedded?.finalize();
  };
}

export default { render };
