import ImageTesting
import Observation
import PhotoFeedModel

extension PhotoFeedModel {
    /// Returns a model that has loaded until its `text` has a given value.
    static func loaded(_ service: ScriptedPhotoService, to text: String = "loaded idle 10") async -> PhotoFeedModel {
        let model = PhotoFeedModel(service: service)
        model.load()
        await model.becomes(text)
        return model
    }

    /// A text such as "loaded idle 10" with both states, the number of rows, and "refreshing" during a refresh.
    var text: String {
        let view =
            switch viewState {
            case .idle: "idle"
            case .loading: "loading"
            case .loaded: "loaded"
            case .error(let failure): "error(\(failure))"
            }
        let end =
            switch paginationState {
            case .idle: "idle"
            case .loading: "loading"
            case .error(let failure): "error(\(failure))"
            case .done: "done"
            }
        return "\(view) \(end) \(photos.count)" + (isRefreshing ? " refreshing" : "")
    }

    /// Waits until an observer sees that `text` has a given value.
    func becomes(_ expected: String) async {
        while !Task.isCancelled {
            let change = TestGate()
            let isReached = withObservationTracking {
                text == expected
            } onChange: {
                change.open()
            }
            if isReached { return }
            await change.whenOpen()
        }
    }
}
