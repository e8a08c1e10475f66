#if GTK
internal import CLibGTK

extension ZoomableImageView {
    /// The factor of one step of the wheel, less 1.
    private static let wheelStep = 0.2

    func addGestures() {
        followPointer()
        zoomByWheel()
        panByDragging()
        zoomByPinching()
    }

    private func followPointer() {
        guard let motion = unsafe gtk_event_controller_motion_new() else { return }
        unsafe connectPoint(UnsafeMutableRawPointer(motion), "motion") { [weak self] x, y in
            self?.pointer = (x, y)
            return false
        }
        unsafe gtk_widget_add_controller(widget.pointer, motion)
    }

    private func zoomByWheel() {
        guard let scroll = unsafe gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL) else { return }
        // Before the widget scrolls.
        unsafe gtk_event_controller_set_propagation_phase(scroll, GTK_PHASE_CAPTURE)
        unsafe connectPoint(UnsafeMutableRawPointer(scroll), "scroll") { [weak self] _, steps in
            guard let self, unsafe zooms(scroll) else { return false }
            let factor = 1 + Self.wheelStep * abs(steps)
            setScale(steps < 0 ? zoom.scale * factor : zoom.scale / factor, at: pointer)
            return true
        }
        unsafe gtk_widget_add_controller(widget.pointer, scroll)
    }

    /// Whether an event zooms. Two fingers on a touchpad pan, unless Control is pressed.
    private func zooms(_ scroll: OpaquePointer) -> Bool {
        let modifiers = unsafe gtk_event_controller_get_current_event_state(scroll)
        let unit = unsafe gtk_event_controller_scroll_get_unit(scroll)
        return unit == GDK_SCROLL_UNIT_WHEEL || modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
    }

    private func panByDragging() {
        guard let drag = unsafe gtk_gesture_drag_new() else { return }
        var start = (x: 0.0, y: 0.0)
        unsafe connectPoint(UnsafeMutableRawPointer(drag), "drag-begin") { [weak self] _, _ in
            if let self { start = offset }
            return false
        }
        unsafe connectPoint(UnsafeMutableRawPointer(drag), "drag-update") { [weak self] x, y in
            self?.scroll(to: (start.x - x, start.y - y))
            return false
        }
        unsafe gtk_widget_add_controller(widget.pointer, drag)
    }

    private func zoomByPinching() {
        guard let pinch = unsafe gtk_gesture_zoom_new() else { return }
        var start = 1.0
        unsafe connect(UnsafeMutableRawPointer(pinch), "begin") { [weak self] in start = self?.zoom.scale ?? 1 }
        unsafe connect(UnsafeMutableRawPointer(pinch), "scale-changed") { [weak self] in
            var center = (x: 0.0, y: 0.0)
            guard let self, unsafe gtk_gesture_get_bounding_box_center(pinch, &center.x, &center.y) != 0 else { return }
            setScale(unsafe start * gtk_gesture_zoom_get_scale_delta(pinch), at: center)
        }
        unsafe gtk_widget_add_controller(widget.pointer, pinch)
    }
}
#endif
