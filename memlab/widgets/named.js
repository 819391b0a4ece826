// ipywidgets names no slider; here each handle gets the name that stands beside it.
function render({ model, el }) {
  let around = null;
  let watch = null;
  let tries = 0;
  const name = () => {
    for (const handle of around.querySelectorAll(".noUi-handle:not([aria-label])")) {
      const label = handle.closest(".widget-slider")?.querySelector(".widget-label")?.textContent;
      if (label) handle.setAttribute("aria-label", label);
    }
  };
  const attach = () => {
    around = el.closest(`.${model.get("around")}`);
    if (!around) {
      if (tries++ < 100) setTimeout(attach, 50);
      return;
    }
    name();
    // Controls that come to the page later are named as they come.
    watch = new MutationObserver(name);
    watch.observe(around, { childList: true, subtree: true });
  };
  attach();
  return () => watch?.disconnect();
}

export default { render };
