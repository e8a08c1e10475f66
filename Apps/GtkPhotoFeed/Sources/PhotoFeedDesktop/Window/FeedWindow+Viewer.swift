internal import ImageCore
internal import ImagePresentingGTK
internal import PhotoFeedModel

// The photo that is shown large, and the actions of keys and buttons.
extension FeedWindow {
    func openImage(at position: Int) {
        guard let photo = model.photo(at: position) else { return }
        viewer.show(photo, at: position) { [model] in model.photo(at: $0) }
        model.appeared(at: position)
        pages.showPage(Page.image)
        bar.show(photo)
        details.properties = []
        panel.page = .details
        unsafe gtk_widget_grab_focus(viewer.image.widget.pointer)
    }

    func closeImage() {
        guard let position = viewer.position else { return }
        viewer.close()
        pages.showPage(Page.feed)
        bar.show(nil)
        panel.page = .statistics
        list.focus(position)
    }

    /// Shows another photo. Returns false if no photo is open or there is no such photo.
    @discardableResult
    private func showPhoto(offset steps: Int) -> Bool {
        guard let position = viewer.position, model.photo(at: position + steps) != nil else { return false }
        openImage(at: position + steps)
        return true
    }

    func connect() {
        animations.onFrame = { [weak self] in self?.frameEnded() }
        footer.onRetry = { [model] in model.retryPage() }
        bar.onBack = { [weak self] in self?.closeImage() }
        bar.onRefresh = { [weak self] in self?.refresh() }
        bar.onLayout = { [weak self] in self?.setLayout($0) }
        bar.onDetails = { [panel] in panel.isOpen = $0 }
        bar.onCopy = { [weak self] in self?.copyPhoto() }
        bar.onSave = { [weak self] in self?.savePhoto() }
        viewer.onStep = { [weak self] in self?.showPhoto(offset: $0) }
        viewer.onLoad = { [weak self] in self?.showDetails() }
        panel.onChange = { [weak self] in self?.panelChanged() }
        window.onSignal("notify::scale-factor") { [weak self] in self?.followThumbnailSize() }
        window.onKey { [weak self] key, isControl in self?.pressed(key, isControl) ?? false }
        addActions()
    }

    private func panelChanged() {
        bar.showsDetails = panel.isOpen
        inspector.isOn = panel.isOpen && panel.page == .statistics
        showDetails()
    }

    /// Handles a key. Returns false if the key has no action here. GTK handles the keys for navigation in the list.
    func pressed(_ key: String, _ isControl: Bool) -> Bool {
        if viewer.position != nil, pressedInViewer(key, isControl) { return true }
        switch (key, isControl) {
        case ("F5", _), ("r", true): refresh()
        case ("1", true): bar.choose(.grid)
        case ("2", true): bar.choose(.list)
        case ("i", true), ("F9", _): panel.isOpen.toggle()
        case ("F1", _), ("question", true): showShortcuts()
        case ("F11", _): toggleFullscreen()
        case ("w", true), ("q", true): unsafe gtk_window_close(window.cast(to: GtkWindow.self))
        default: return false
        }
        return true
    }

    private func pressedInViewer(_ key: String, _ isControl: Bool) -> Bool {
        switch (key, isControl) {
        case ("c", true): copyPhoto()
        case ("s", true): savePhoto()
        case (_, true): return false
        case ("Escape", _) where isFullscreen: toggleFullscreen()
        case ("Escape", _), ("BackSpace", _): closeImage()
        case ("Page_Up", _): showPhoto(offset: -1)
        case ("Page_Down", _): showPhoto(offset: 1)
        case _ where viewer.pressed(key): break
        case ("Left", _): return showPhoto(offset: -1)
        case ("Right", _): return showPhoto(offset: 1)
        default: return false
        }
        return true
    }

    private var isFullscreen: Bool { unsafe gtk_window_is_fullscreen(window.cast(to: GtkWindow.self)) != 0 }

    /// Fills the screen with the window, without its title bar, or ends this.
    private func toggleFullscreen() {
        let wasFullscreen = isFullscreen
        bar.widget.isVisible = wasFullscreen
        unsafe wasFullscreen
            ? gtk_window_unfullscreen(window.cast(to: GtkWindow.self))
            : gtk_window_fullscreen(window.cast(to: GtkWindow.self))
    }
}
