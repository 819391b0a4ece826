// Keys pressed anywhere in the widget around this one, but not while somebody writes.
function render({ model, el }) {
  let around = null;
  const press = (event) => {
    const written = event.target.closest("input, textarea, select, [contenteditable=true]");
    if (written || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (!model.get("means").includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ key: event.key, task: model.get("task") });
  };
  let tries = 0;
  const attach = () => {
    around = el.closest(".memlab-labelling");
    if (!around) {
      if (tries++ < 100) setTimeout(attach, 50);
      return;
    }
    // JupyterLab has meanings of its own for single keys.
    around.dataset.lmSuppressShortcuts = "true";
    around.addEventListener("keydown", press, true);
  };
  attach();
  return () => around?.removeEventListener("keydown", press, true);
}

export default { render };
