// Keys, words and version, in one small window.
#pragma once

#include <QDialog>

namespace mmapscope {

class HelpDialog : public QDialog {
    Q_OBJECT
  public:
    explicit HelpDialog(QWidget* parent = nullptr);
};

}  // namespace mmapscope
